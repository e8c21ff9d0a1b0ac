"""Files behind the API's memory tool."""
