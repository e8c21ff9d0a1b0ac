"""What sessions saved and cost, across all projects of the user, in figures that outlive their files."""
