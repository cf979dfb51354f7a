"""Care of a table between games: deployment of the firmware, self-test, calibration."""
