"""All that a tool call pays for: small modules on posix, sys, time and the C scanner."""
