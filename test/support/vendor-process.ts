import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { CheckInput } from "../../src/checks/check.ts";
import { inventedPerson } from "../../src/checks/invented-person.ts";
import { labelOf, negativeCode, type PersonKind, personKinds } from "../../src/declare/check-kind.ts";

import { isNegative, traceIn, type VendorCall, type VendorSettings, vendorEmail, vendorKey } from "./vendor.ts";
import { draw, drawWeighted } from "./vendor-draw.ts";

/** The process of the vendor in `vendor.ts`. It ends with its parent. */

const settings: VendorSettings = JSON.parse(process.argv[2]!);
const { seed } = settings;
const token = "duba_at_of_the_vendor_of_the_tests";
const calls: VendorCall[] = [];
/** Responses that wait for `release`, by number. */
const held: { number: string; answer(): void }[] = [];
const callsOfNumber = new Map<string, number>();

type PersonInput = CheckInput & { kind: PersonKind };

interface StoreResponse {
  status: number;
  body: string;
  type?: string;
}

const json = (status: number, body: object): StoreResponse => ({ status, body: JSON.stringify(body) });

function failure(status: number, code: string): StoreResponse {
  const facts = { charged: false, upstream_called: true, request_reference: null };
  const error = { code, retryable: status >= 500, request_id: "v", help: `/docs/errors#${code}`, ...facts };
  return json(status, { success: false, status: "failed", message: `It is ${code}.`, error, data: null });
}

function verified({ kind, number, claims }: PersonInput): StoreResponse {
  const data = { request_reference: "vendor123456789", ...inventedPerson(kind, number, claims.phone!) };
  return json(200, { success: true, message: `${labelOf(kind)} Verification Completed Successfully`, data });
}

/** The correct response about a number, before any fault. */
function replyOf(asked: PersonInput): StoreResponse {
  const { kind, number } = asked;
  if (!isNegative(settings, number)) return verified(asked);
  return draw(seed, `${number} exists`, 2)
    ? failure(422, "phone_mismatch")
    : failure(404, negativeCode(kind, "not_found"));
}

const otherThan = (number: string) => String((Number(number) + 1) % 1e11).padStart(11, "0");

const server = createServer(async (request, response) => {
  const body = await bodyOf(request);
  if (body === undefined) return;
  if (request.url === "/api/v2/merchant/authorization") return send(response, authorized(body));
  const kind = personKinds.find((kind) => request.url === `/api/v2/kyc/verify-${kind}`);
  if (!kind) return send(response, failure(404, "route_not_found"));
  if (request.headers.authorization !== `Bearer ${token}`) return send(response, failure(401, "invalid_credentials"));

  const number = body[kind]!;
  const phone = body.phone!.slice(-10);
  const nth = (callsOfNumber.get(number) ?? 0) + 1;
  callsOfNumber.set(number, nth);
  const trait = `${number} call ${nth}`;
  const manner = drawWeighted(seed, trait, settings.manners);
  const reference = String(request.headers["idempotency-key"]);
  calls.push({ kind, number, reference, trace: traceIn(request.headers), manner });
  await deliver[manner](response, { kind, number, claims: { phone }, trait });
});

interface Asked extends PersonInput {
  trait: string;
}

const deliver: Record<VendorCall["manner"], (response: ServerResponse, asked: Asked) => void | Promise<void>> = {
  prompt: (response, asked) => send(response, replyOf(asked)),

  async slow(response, asked) {
    await pause(50 + draw(seed, `${asked.trait} takes`, 600));
    send(response, replyOf(asked));
  },

  async late(response, asked) {
    await pause(1_000 + draw(seed, `${asked.trait} takes`, 1_500));
    send(response, replyOf(asked));
  },

  async cut(response, { trait }) {
    await pause(draw(seed, `${trait} takes`, 100));
    response.destroy();
  },

  cutHalfWay(response, asked) {
    const { status, body } = replyOf(asked);
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },

  answersTwice(response, asked) {
    const { socket } = response;
    const { kind, trait } = asked;
    const again = draw(seed, `${trait} again`, 2) ? replyOf(asked) : failure(404, negativeCode(kind, "not_found"));
    const wait = draw(seed, `${trait} wait`, 3) * 3;
    response.once("finish", async () => {
      if (wait > 0) await pause(wait);
      socket?.write(asBytes(again));
    });
    send(response, replyOf(asked));
  },

  held: (response, asked) => void held.push({ number: asked.number, answer: () => send(response, replyOf(asked)) }),

  garbage(response, asked) {
    const { body } = verified(asked);
    const kinds: (() => void)[] = [
      () => send(response, { status: 200, body: "<html>It works!</html>", type: "text/html" }),
      () => send(response, { status: 200, body: body.slice(0, -20) }),
      () => send(response, json(200, { success: true, data: [] })),
      () => send(response, { status: 200, body: body.replace('"personal_info"', '"info"') }),
      () => response.socket?.end("220 mail.example.com ESMTP\r\n"),
    ];
    kinds[draw(seed, `${asked.trait} kind`, kinds.length)]!();
  },

  otherPerson: (response, asked) => send(response, verified({ ...asked, number: otherThan(asked.number) })),

  saysNoWork: (response, { trait }) =>
    send(
      response,
      draw(seed, `${trait} kind`, 2) ? failure(503, "upstream_unavailable") : failure(502, "upstream_bad_response"),
    ),

  serverError: (response, { trait }) =>
    send(
      response,
      draw(seed, `${trait} kind`, 2)
        ? failure(504, "upstream_timeout")
        : { status: 500, body: "<h1>Oops</h1>", type: "text/html" },
    ),
};

function authorized({ email, password }: Record<string, string>): StoreResponse {
  if (email !== vendorEmail || password !== vendorKey) return failure(401, "invalid_credentials");
  const expires = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString().slice(0, 19).replace("T", " ");
  const data = { business_name: "Vendor", token: { access_token: token, token_type: "Bearer", expires_at: expires } };
  return json(200, { success: true, data });
}

function send(response: ServerResponse, { status, body, type = "application/json" }: StoreResponse): void {
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

function asBytes({ status, body }: StoreResponse): string {
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 ${status} Again\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** Returns the body of a request, or undefined if the request broke off or is not JSON. */
async function bodyOf(request: IncomingMessage): Promise<Record<string, string> | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

process.on("message", (message) => {
  if (message === "calls") process.send?.(calls);
  for (const each of held.filter(({ number }) => number === message)) {
    held.splice(held.indexOf(each), 1);
    each.answer();
  }
});
process.on("disconnect", () => process.exit());
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
