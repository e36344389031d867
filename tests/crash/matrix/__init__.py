"""Every point at which a gateway can be killed, on every kind of platform: `make crash`.

| file | holds |
|---|---|
| `points.py` | the list of points, made from the store's operations and the ports |
| `rows.py` | what each point stands for: the rows K1 to K19 below; a point without a row fails the tests |
| `platform.py`, `server.py` | the platform, which is never killed, and its side of the line |
| `people.py`, `answers.py` | what is said to it, and what its model answers |
| `gateway.py`, `far.py`, `mortal.py` | the gateway that is forked and killed: the real one, around ports that die |
| `plants.py` | bugs that can be planted in it, to see that the matrix finds them |
| `episode.py`, `checker.py` | one file of a store, its gateways one after the other, and what must be true at the end |
| `matrix.py`, `__main__.py` | all of it, and the table |

| row | point |
|---|---|
| K1 | an event in memory, not stored |
| K2 | inside the commit that stores it |
| K3 | stored, not acknowledged |
| K4 | acknowledged, not claimed |
| K5 | claimed, before the model |
| K6 | the model streams, a draft is visible |
| K7 | an answer was received and is not in the log |
| K8 | a tool that cannot be repeated was started |
| K9 | a tool is done, its result is not in the log |
| K10 | a turn waits for a person |
| K11 | an answer is stored, its turn has not gone on |
| K12 | inside the commit that ends a turn |
| K13 | a turn is ended, nothing of its reply is sent |
| K14 | a part is marked as being sent, its request is not written |
| K15 | a request is written, no answer came |
| K16 | an answer came and is not recorded |
| K17 | part 2 of 3 is sent |
| K18 | a stop was received |
| K19 | a sub-agent works |
"""
