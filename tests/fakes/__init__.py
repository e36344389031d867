"""Stand-ins for the outside world that speak its protocols on the wire. A package, so that none shadows a library."""
