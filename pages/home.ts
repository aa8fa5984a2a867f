import { type Operation, pathUnder } from "../src/declare/operation.ts";
import { namedGuides } from "../src/http/pages/guides.ts";
import { type Html, html } from "../src/http/pages/html.ts";
import { curlLine, sampleOf } from "./provoke.ts";

const keys: Record<Operation<never>["access"], string> = {
  credential: "required",
  anonymous: "optional",
  own: "to exchange",
};

/** The facts about a service on the start page, with the meanings of `Site`. */
interface Shown {
  operations: readonly Operation<never>[];
  origin: string;
  pathPrefixes: readonly string[];
}

/** The introduction, the way to live verifications, and every operation. */
export function home(site: Shown): Html {
  const { operations } = site;
  return html`<h1>Duba</h1>
<p class="lead">Utility and verification look-ups: data bundles, corporate data bundles, data providers, cable-TV add-ons
and BVN verification, served from this machine.</p>
<h2 id="steps">Four steps</h2>
<ol class="steps">
<li><p><b>Get a key</b> from the operator of this service. A test key reaches <a href="/docs/sandbox">invented people</a> only; the
first start of the service prints one.</p></li>
<li><p><b>Call</b>, with the key in place of <code>$DUBA_KEY</code>. <a href="/docs/clients">Clients</a> for TypeScript, PHP and Python do it for you.</p>
${sample(site, "lookupDataBundles")}${sample(site, "verifyBvn")}</li>
<li><p><b>Handle time-outs</b>: retry with the same <a href="/docs/idempotency"><code>Idempotency-Key</code></a>, and ask what became of it.
<a href="/docs/events">Webhooks</a> tell you what happens later.</p>
${sample(site, "findVerification")}</li>
<li><p><b>Go live</b>: verify <a href="/docs/sandbox">the numbers of the sandbox</a>, then <a href="/docs/start#4-go-live">replace the key</a>.</p></li>
</ol>
<h2 id="operations">Operations</h2>
${table(
  site,
  "In the interface document",
  operations.filter(({ documented }) => documented),
)}
${table(
  site,
  "Beyond it: for compatibility, or Duba’s own",
  operations.filter(({ documented }) => !documented),
)}
<h2 id="more">Read on</h2>
<ul>
${namedGuides.map(
  ({ path, name, about }) => html`<li><a href="${path}">${name}</a>: ${about}</li>
`,
)}<li><a href="/docs">Reference</a>: every operation, with a form to send it</li>
<li><a href="/docs/errors">Failures</a>: what each code means, what cures it and how to provoke it</li>
<li><a href="/openapi.json">openapi.json</a>: the OpenAPI 3.1 document, for tools</li>
<li><a href="/postman.json">postman.json</a>: a collection for Postman, with each failure as an example</li>
<li><a href="/llms.txt">llms.txt</a>: the same in plain text, for language models</li>
<li><a href="/healthz">healthz</a>: whether this instance is up</li>
</ul>`;
}

function sample({ operations, origin }: Shown, id: string): Html {
  const operation = operations.find((each) => each.id === id);
  return operation ? html`<pre><code>${curlLine(origin, sampleOf(operation))}</code></pre>\n` : html``;
}

function table(site: Shown, caption: string, operations: readonly Operation<never>[]): Html {
  if (operations.length === 0) return html``;
  return html`<table class="wide">
<caption>${caption}</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Method and path</th><th scope="col">Key</th></tr></thead>
<tbody>
${operations.map(
  (
    operation,
  ) => html`<tr><th scope="row"><a href="${placeOf(operation, site)}">${operation.summary}</a></th><td><code class="route"><span class="method">${operation.method}</span> ${breakable(operation.path)}</code></td><td data-label="Key">${keys[operation.access]}</td></tr>
`,
)}</tbody></table>`;
}

/** Where the reference has an operation. */
function placeOf({ group, method, path }: Operation<never>, { pathPrefixes }: Shown): string {
  const shown = pathPrefixes.length > 1 ? pathUnder("", path) : path;
  return `/docs#tag/${group.toLowerCase().replaceAll(" ", "-")}/${method}${shown}`;
}

/** A path that a narrow screen may break before each slash. */
function breakable(path: string): Html {
  return html`${path.split(/(?=\/)/).map((step) => html`<wbr>${step}`)}`;
}
