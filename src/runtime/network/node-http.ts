/**
 * The values of `node:http`. To import them from there also loads Node's `fetch` and `WebSocket`: 12 MiB of memory, and
 * 30 ms of each start.
 */
export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule("node:http");
