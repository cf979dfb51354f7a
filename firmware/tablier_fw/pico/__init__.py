"""The drivers of the Raspberry Pi Pico: each hardware in a module of its own. Only the board layer imports them."""
