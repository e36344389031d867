"""HTTP: health for whoever watches over the process, and the routes by which platforms hand events over."""
