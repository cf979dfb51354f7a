"""The fuzzer of the wire: frames with right checksums and any values, made from the declarations of the messages."""
