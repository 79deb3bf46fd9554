"""What `opwright.library` is made of: schemas, rules, registrations."""
