import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { isKeyed, type Operation } from "../src/declare/operation.ts";
import { type Html, html } from "../src/http/pages/html.ts";
import type { OpenApiDocument } from "./openapi/document.ts";
import { curlLine, sampleOf } from "./provoke.ts";

/** Settings of the reference in the browser. It must not call other hosts. */
const settings = {
  url: "/docs/reference.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  hideDarkModeToggle: true,
  documentDownloadType: "none",
  proxyUrl: "",
  externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
  persistAuth: false,
  authentication: { preferredSecurityScheme: "bearer" },
  favicon: "/docs/icon.svg",
  theme: "default",
  layout: "modern",
  operationTitleSource: "summary",
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: false,
  defaultOpenAllTags: true,
};

/** Members whose example stands for the reader's own value, which the page's script fills in. */
const standsForOwn = ["request_reference", "request_id", "idempotency_key", "id", "password"];

export function referencePage(operations: readonly Operation<never>[]): Html {
  const keyed = operations.filter(isKeyed).map(({ path }) => path);
  const inputs = Object.assign({}, ...operations.map(({ examples }) => examples[0]?.input));
  const examples = Object.fromEntries(standsForOwn.map((name) => [name, inputs[name]]));
  return html`<noscript><p>The reference needs JavaScript. Without it, read <a href="/openapi.json">openapi.json</a>,
<a href="/">the list of operations</a> and <a href="/docs/errors">the failures</a>.</p></noscript>
<div id="reference"></div>
<script src="/docs/scalar.js"></script>
<script src="/docs/reference.js" data-configuration="${JSON.stringify(settings)}" data-keyed="${JSON.stringify(keyed)}"
 data-examples="${JSON.stringify(examples)}"></script>`;
}

/**
 * The document for browsers, which cannot send a body with GET, so GET shows only the query string. The page sends
 * every header with an example or an enumeration. So optional headers have neither, or an example that the reader must
 * pick.
 */
export function browserDocument(
  document: OpenApiDocument,
  operations: readonly Operation<never>[],
  origin: string,
): OpenApiDocument {
  const copy = structuredClone(document);
  // The page may send requests only to its own host.
  copy.servers = copy.servers.map(({ url }) => ({ url: new URL(url, "http://local").pathname }));
  for (const { get, post } of Object.values(copy.paths)) {
    if (get) leaveOutBody(get);
    const keyed = operations.find((operation) => operation.id === post?.operationId && isKeyed(operation));
    if (keyed) post!["x-codeSamples"] = [{ lang: "Shell", label: "curl", source: curlLine(origin, sampleOf(keyed)) }];
    parametersOf(get ?? {}, post ?? {}).forEach(leaveUnpicked);
  }
  for (const shared of Object.values(copy.components.parameters ?? {})) leaveUnpicked(shared as Parameter);
  return copy;
}

function leaveOutBody(get: Record<string, unknown>): void {
  const body = get.requestBody as SentBody | undefined;
  if (!body) return;
  const required = new Set(body.content["application/json"].schema.required);
  for (const parameter of parametersOf(get)) if (required.has(parameter.name)) parameter.required = true;
  delete get.requestBody;
}

function leaveUnpicked(parameter: Parameter): void {
  if (parameter.in !== "header" || parameter.required) return;
  delete parameter.example;
  const [first] = parameter.schema?.enum ?? [];
  if (first !== undefined) parameter.examples = { default: { value: first, "x-disabled": true } };
}

function parametersOf(...operations: Record<string, unknown>[]): Parameter[] {
  return operations.flatMap(({ parameters }) => (parameters as Parameter[] | undefined) ?? []);
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  examples?: Record<string, object>;
  schema?: { enum?: string[] };
}

interface SentBody {
  content: { "application/json": { schema: { required?: string[] } } };
}

/** Scalar's script for the reference, from the file that `npm run update:scalar` wrote. */
export async function scalarScript(): Promise<Buffer> {
  return promisify(brotliDecompress)(await readFile(new URL("../src/http/pages/files/scalar.js.br", import.meta.url)));
}
