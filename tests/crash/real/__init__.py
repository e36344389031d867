"""Real channels behind the wire fakes of their platforms, in gateways that are killed.

The matrix beside this one knows every point of the program on a made-up platform. Here the same store dies under a real
channel that speaks its platform's own protocol to a server that survives: once at each operation of the store that a
conversation comes by, and at each call to the platform when it arrives, when it was taken, and when it was answered.

    python -m tests.crash.real [--times N]
"""
