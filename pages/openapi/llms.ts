import type { Operation } from "../../src/operation/operation.ts";
import { honesty } from "./document.ts";

/** A page that explains something. */
interface Guide {
  path: string;
  name: string;
  about: string;
}

/** The service in plain text for language models, in the form of llmstxt.org. `origin` is scheme and host of the service. */
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

## Documents

- [OpenAPI 3.1](${origin}/openapi.json): every operation with its schemas and failures
- [Failures](${origin}/docs/errors): each code with its cause and cure, and how to provoke it
${guides.map(({ path, name, about }) => `- [${name}](${origin}${path}): ${about}`).join("\n")}
- [Postman collection](${origin}/postman.json): a request for each operation, with examples
${[...groups].map(([group, members]) => `\n## ${group}\n\n${members.map(lineOf).join("\n")}\n`).join("")}`;
}

function lineOf({ id, method, path, summary, description, input, carriage, failures }: Operation<never>): string {
  const required = (input as { required?: string[] }).required ?? [];
  const names = Object.keys(input.properties).map((name) => (required.includes(name) ? name : `${name} (optional)`));
  const place = carriage === "body" ? "JSON body" : "parameters";
  const has = names.length > 0 ? ` ${place}: ${names.join(", ")}.` : "";
  const fails = failures.length > 0 ? ` Fails also with ${failures.join(", ")}.` : "";
  return `- ${id}: \`${method} ${path}\`. ${summary}.${has} ${description}${fails}`;
}
