"""What the team's server bears: `holdfast bench server`, and the server that it and the tests start."""
