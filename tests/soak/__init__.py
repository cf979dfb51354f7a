"""The soak: frames without end over a bad line, while cables are pulled, tables reset and hosts killed."""
