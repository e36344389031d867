// Reads one JSON string a line, and answers with the tree that Discord's parser makes of it, as JSON on one line.
const { parse } = require("discord-markdown-parser");
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => process.stdout.write(`${JSON.stringify(parse(JSON.parse(line), "extended"))}\n`));
