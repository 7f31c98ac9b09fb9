"""What every room stands on: errors, digests, identifiers, canonical writers, settings, progress."""
