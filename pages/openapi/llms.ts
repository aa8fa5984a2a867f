import type { Operation } from "../../src/declare/operation.ts";
import { honesty } from "./document.ts";

/** A page that explains something. */
interface Guide {
  path: string;
  name: string;
  about: string;
}

/** The steps for a program that reads only this text, in the order of use. */
const steps: readonly Guide[] = [
  { name: "First look-up", path: "/docs/start#2-call", about: "a GET that needs no key, and what it returns" },
  { name: "First BVN", path: "/docs/start#1-get-a-key", about: "a test key, and a POST with it" },
  { name: "After a time-out", path: "/docs/start#3-handle-time-outs", about: "what to send again, and what to ask" },
  { name: "Webhook signature", path: "/docs/events#verify-a-delivery", about: "how to verify it, in three languages" },
  { name: "Rate limit", path: "/docs/limits", about: "how often you may ask, and the headers that say what is left" },
  { name: "Going live", path: "/docs/start#4-go-live", about: "from the sandbox to a live key" },
];

/**
 * The service in plain text for language models, in the form of llmstxt.org. `origin` is scheme and host of the
 * service.
 */
export function llmsText(
  operations: readonly Operation<never>[],
  guides: readonly Guide[],
  version: string,
  origin: string,
): string {
  const groups = Map.groupBy(operations, ({ group }) => group);
  return `# Duba

> Utility and verification look-ups over HTTP, version ${version}, at ${origin}: data bundles, corporate data bundles, data providers, cable-TV add-ons, and verification of BVN and NIN.

- Send \`Authorization: Bearer <key>\`. A key that begins with duba_test_ reaches the sandbox only. ${honesty.people}
- ${honesty.prices}
- Money is naira as text. Codes are text, and their case does not matter.
- \`success\` is true or false in every answer. A failure has \`error.code\`, which is stable, and \`error.retryable\`.
- Send an \`Idempotency-Key\` with each verification, and the same one with its retries: it is charged once at most. After a lost answer, ask GET /api/v2/kyc/verifications.
- Honour \`Retry-After\`. Send the \`ETag\` of a list in \`If-None-Match\`: 304 counts in no limit.

## With nothing else

${linesOf(steps, origin)}

## Documents

- [OpenAPI 3.1](${origin}/openapi.json): every operation with its schemas and failures
- [Failures](${origin}/docs/errors): each code with its cause and cure, and how to provoke it
${linesOf(guides, origin)}
- [Postman collection](${origin}/postman.json): a request for each operation, with examples
${[...groups].map(([group, members]) => `\n## ${group}\n\n${members.map(lineOf).join("\n")}\n`).join("")}`;
}

function linesOf(guides: readonly Guide[], origin: string): string {
  return guides.map(({ path, name, about }) => `- [${name}](${origin}${path}): ${about}`).join("\n");
}

function lineOf({ id, method, path, summary, description, input, carriage, failures }: Operation<never>): string {
  const required = (input as { required?: string[] }).required ?? [];
  const names = Object.keys(input.properties).map((name) => (required.includes(name) ? name : `${name} (optional)`));
  const place = carriage === "body" ? "JSON body" : "parameters";
  const has = names.length > 0 ? ` ${place}: ${names.join(", ")}.` : "";
  const fails = failures.length > 0 ? ` Fails also with ${failures.join(", ")}.` : "";
  return `- ${id}: \`${method} ${path}\`. ${summary}.${has} ${description}${fails}`;
}
