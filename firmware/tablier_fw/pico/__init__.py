"""The drivers of the Raspberry Pi Pico, one module for each device. Only the board layer imports them."""
