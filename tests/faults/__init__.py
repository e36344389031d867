"""What disks, clocks, platforms and models do wrong: nothing acknowledged is lost, and nothing is answered twice."""
