"""What is done to a table between games: putting the firmware on it, its self-test, its calibration."""
