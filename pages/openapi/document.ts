import { modeHeader, type Operation, pathPrefix, pathUnder, standInMode } from "../../src/declare/operation.ts";
import { scenarioHeader } from "../../src/http/rehearsal/scenarios.ts";
import { hintHeader } from "../../src/http/request/hints.ts";
import { exampleRequestId, failureComponents } from "./failure-responses.ts";
import { DEPRECATION_HEADERS, operationObject, sharedParameters } from "./operation-object.ts";
import { type JsonObject, namedSchemas } from "./schema.ts";
import { webhookParameters, webhooks } from "./webhooks.ts";

export interface OpenApiDocument extends JsonObject {
  openapi: "3.1.0";
  servers: { url: string; description?: string }[];
  info: { title: string; version: string; summary: string; description: string; license: JsonObject };
  paths: Record<string, Record<string, JsonObject>>;
  webhooks?: Record<string, { post: JsonObject }>;
  /** Shared parts by kind and name. */
  components: Record<string, Record<string, unknown>>;
}

/** Two sentences that appear wherever people or prices are shown. */
export const honesty = {
  people: "Sandbox people are invented: no record that a test key returns belongs to a living person.",
  prices: "Sample prices are historical: the starter catalogue shows their form, not what a bundle costs today.",
};

const groups: Record<Operation<never>["group"], string> = {
  Data: `Mobile data bundles, corporate data bundles and the providers of both. ${honesty.prices}`,
  "Cable TV": `Cable-TV providers, their products and the add-ons of a product. ${honesty.prices}`,
  Identity: `Verification of a bank verification number (BVN), its fee and its outcome. ${honesty.people} Numbers with a fixed result are listed at [/docs/sandbox](/docs/sandbox).`,
  Wallet: "What your account can still spend.",
  Events:
    "What happened since you last asked, and the webhooks that tell you at once: " +
    "[how they are signed and repeated](/docs/events).",
  Credentials: "Exchange of an API key for an access token.",
  Requests: "The request log: how your requests were answered. It keeps nothing of what you sent.",
};

const description = `Utility and verification look-ups from your own machine: data bundles, corporate data bundles, data providers, cable-TV add-ons and BVN verification.

A failure always has the same shape, and \`error.code\` names it: [every code, its cause and its cure](/docs/errors). HEAD works wherever GET does.

A test key reaches the sandbox only. ${honesty.people} [Numbers with a fixed result](/docs/sandbox) reach every outcome, and the header \`${scenarioHeader}\` lets a look-up [rehearse](/docs/sandbox#scenarios-of-look-ups) what can befall it.

${honesty.prices}`;

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "An API key (`duba_test_…` or `duba_live_…`) or an access token, as `Authorization: Bearer <api key>`. " +
      "The bare key without the word Bearer is accepted too.",
  },
  basic: {
    type: "http",
    scheme: "basic",
    description:
      "For the authorization operation only. User name: the public id of the API key, or the e-mail address of its " +
      "account. Password: the whole API key.",
  },
};

const text = (about: string, example: string) => ({ description: about, schema: { type: "string" }, example });
const headers = {
  "X-Request-Id": text(
    "Names this request in the logs of the service. A well-formed one that you send is kept.",
    exampleRequestId,
  ),
  RateLimit: text("Requests left in the window (`r`), and seconds until it ends (`t`).", '"catalogue";r=599;t=60'),
  "RateLimit-Policy": text("The limit: requests per window of seconds.", '"catalogue";q=600;w=60'),
  "Retry-After": { description: "Seconds to wait before the next attempt.", schema: { type: "integer" }, example: 5 },
  "WWW-Authenticate": text("The accepted scheme.", "Bearer"),
  ETag: text("Weak validator of the list's content. Send it back in If-None-Match.", 'W/"5f2c9d0b"'),
  "Last-Modified": text("When the list last changed.", "Thu, 15 Jan 2026 09:30:00 GMT"),
  "Cache-Control": text("How long the answer may be kept.", "private, max-age=60, stale-if-error=600"),
  "Duba-Catalogue-Revision": text("Revision of the catalogue that last changed this list.", "12"),
  "Duba-Catalogue-As-Of": text(
    "When the list last matched its source, UTC; only if it follows a source.",
    "2026-01-15T09:30:00.000Z",
  ),
  "Duba-Catalogue-Stale": text("`true` if that was too long ago.", "true"),
  "Content-Location": text("The query-string form of a request that came with a body.", "/path?name=value"),
  "Idempotency-Replayed": text("`true` if this repeats the answer to an earlier request with the same key.", "true"),
  [modeHeader]: {
    ...text(
      "`test` if a verification, its requery or an exchange used a test key: its people are invented. " +
        "`stand-in` in every answer to a live key of a service that rehearses with stand-ins of identity vendors: " +
        "its people are invented too. Other answers lack it.",
      "test",
    ),
    schema: { type: "string", enum: ["test", standInMode] },
  },
  [hintHeader]: text(
    "With a test key: what the request has that nothing reads, such as a parameter of another name.",
    "lookupDataBundles does not read network. It takes provider, type.",
  ),
  "Duba-Match": text(
    "Each member that was sent to be compared with the record: `match`, `near` (perhaps the same), `differs`, " +
      "`unreadable` (no name, or no date of a known form) or `absent` (the answer has none), " +
      "by [the rules](/docs/names). A replay has the same header. Without such members it is absent.",
    "first_name=match, last_name=near, date_of_birth=differs",
  ),
  "Duba-Wallet": text("`unlimited` if nothing in naira bounds what the account spends.", "unlimited"),
  Deprecation: text("Since when the operation is deprecated (RFC 9745).", "@1768435200"),
  Sunset: text("When the operation ends (RFC 8594).", "Fri, 15 Jan 2027 00:00:00 GMT"),
  Link: text("What replaces the operation.", '</docs>; rel="successor-version"'),
};

/**
 * The OpenAPI document of a table of operations. Equal tables give equal documents. `publicUrl` is the address at which
 * API clients reach the service, without a final slash; empty if not configured. Several `prefixes` become servers, and
 * paths then lack the prefix.
 */
export function openapi(
  operations: readonly Operation<never>[],
  version: string,
  publicUrl = "",
  prefixes: readonly string[] = [pathPrefix],
): OpenApiDocument {
  // OpenAPI can express several prefixes for equal paths only as servers.
  const isAlone = prefixes.length === 1;
  const paths: OpenApiDocument["paths"] = {};
  for (const operation of operations) {
    const path = isAlone ? operation.path : pathUnder("", operation.path);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation) };
  }
  const failure = failureComponents(operations, publicUrl);
  const used = new Set(operations.map(({ group }) => group));
  const hasEvents = used.has("Events");
  const parameters = { ...sharedParameters(operations), ...(hasEvents ? webhookParameters : {}) };
  const shared = Object.entries(headers).filter(
    ([name]) => !DEPRECATION_HEADERS.includes(name) || operations.some(({ deprecated }) => deprecated),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Duba",
      version,
      summary: "Utility and verification look-ups",
      description,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: isAlone
      ? [{ url: publicUrl || "/", description: "The service that serves this document" }]
      : prefixes.map((prefix) => ({ url: publicUrl + prefix, description: "The service that serves this document" })),
    tags: Object.entries(groups)
      .filter(([name]) => used.has(name as Operation<never>["group"]))
      .map(([name, about]) => ({ name, description: about })),
    paths,
    ...(hasEvents ? { webhooks: webhooks() } : {}),
    components: {
      securitySchemes,
      headers: Object.fromEntries(shared),
      ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
      responses: failure.responses,
      examples: failure.examples,
      schemas: {
        ...namedSchemas(operations.flatMap(({ input, answer }) => [input, answer])),
        ...failure.schemas,
      },
    },
  };
}
