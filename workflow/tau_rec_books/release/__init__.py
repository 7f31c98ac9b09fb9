"""The release: manifest, checksums, verification."""
