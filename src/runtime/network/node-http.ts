/**
 * The values of `node:http`. Importing these from `node:http` would also load Node's `fetch` and `WebSocket`: 12 MiB of
 * memory, and 30 ms of each start.
 */
export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule("node:http");
