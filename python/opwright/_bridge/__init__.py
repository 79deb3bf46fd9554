"""What the bridges to other hosts share."""
