import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerBench } from "./child.ts";
import type { BareResponse } from "./servers.ts";

/** A hand-written server that sends exactly the responses of the service, headers included, without any work. */
const answers: Record<string, BareResponse> = JSON.parse(process.argv[2]!);
const ready = new Map(
  Object.entries(answers).map(([path, { headers, body }]) => [path, { headers, body: Buffer.from(body) }]),
);

const server = createServer((request, response) => {
  const answer = ready.get(request.url!)!;
  response.writeHead(200, answer.headers);
  response.end(answer.body);
});
server.keepAliveTimeout = 72_000;
server.listen(0, "127.0.0.1", () => answerBench(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
