import type { Operation } from "../../operation/operation.ts";
import { type Html, html } from "./html.ts";

const keys: Record<Operation<never>["access"], string> = {
  credential: "required",
  anonymous: "optional",
  own: "to exchange",
};

/** What this is, lines to copy for a service at `origin`, and every operation. */
export function home(operations: readonly Operation<never>[], origin: string): Html {
  return html`<h1>Duba</h1>
<p class="lead">Utility and verification look-ups: data bundles, corporate data bundles, data providers, cable-TV add-ons
and BVN verification, served from this machine.</p>
<h2 id="try">Try it</h2>
<p>The first start of the service prints a sandbox key. Put it in place of <code>$KEY</code>.</p>
${curlLines(origin).map(
  ({ about, line }) => html`<h3>${about}</h3><pre><code>${line}</code></pre>
`,
)}
<h2 id="operations">Operations</h2>
${table(
  "In the interface document",
  operations.filter(({ documented }) => documented),
)}
${table(
  "Beyond it: for compatibility, or Duba’s own",
  operations.filter(({ documented }) => !documented),
)}
<h2 id="more">Read on</h2>
<ul>
<li><a href="/docs">Reference</a>: every operation, with a form to send it</li>
<li><a href="/docs/errors">Failures</a>: what each code means, what cures it and how to provoke it</li>
<li><a href="/docs/sandbox">Sandbox</a>: test numbers that reach every outcome</li>
<li><a href="/openapi.json">openapi.json</a>: the OpenAPI 3.1 document, for tools</li>
<li><a href="/postman.json">postman.json</a>: a collection for Postman, with each failure as an example</li>
<li><a href="/llms.txt">llms.txt</a>: the same in plain text, for language models</li>
<li><a href="/healthz">healthz</a>: whether this instance is up</li>
</ul>`;
}

const curlLines = (origin: string) => [
  { about: "Data bundles of a provider", line: `curl "${origin}/api/v2/internet/data/lookup?provider=MTNDATA"` },
  {
    about: "Data providers",
    line: `curl ${origin}/api/v2/internet/data/fetch-providers \\
  -H "Authorization: Bearer $KEY"`,
  },
  {
    about: "Verification of an invented person",
    line: `curl ${origin}/api/v2/kyc/verify-bvn \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -H "Idempotency-Key: order-1001" \\
  -d '{"bvn": "22000000017", "phone": "08000000017", "amount": "100"}'`,
  },
];

function table(caption: string, operations: readonly Operation<never>[]): Html {
  if (operations.length === 0) return html``;
  return html`<table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Method and path</th><th scope="col">Key</th></tr></thead>
<tbody>
${operations.map(
  ({
    summary,
    method,
    path,
    access,
  }) => html`<tr><th scope="row">${summary}</th><td><code class="route"><span class="method">${method}</span> ${breakable(path)}</code></td><td data-label="Key">${keys[access]}</td></tr>
`,
)}</tbody></table>`;
}

/** A path that a narrow screen may break before each slash. */
function breakable(path: string): Html {
  return html`${path.split(/(?=\/)/).map((step) => html`<wbr>${step}`)}`;
}
