"""What follows from a log: the audit, redaction, seals."""
