// telegram-test-api as a process of its own: node telegram.js PORT
const TelegramServer = require('telegram-test-api');

const server = new TelegramServer({ port: Number(process.argv[2]), host: '127.0.0.1', storage: 'RAM', storeTimeout: 600 });
server.start().then(() => console.log('ready'));
