import { type FailureCode, failures } from "../src/declare/failures.ts";
import { failuresOf, type Operation } from "../src/declare/operation.ts";
import type { GuidePath } from "../src/http/pages/guides.ts";
import { type Html, html, prose } from "../src/http/pages/html.ts";
import { STATUS_CODES } from "../src/runtime/network/node-http.ts";
import { curlLine, numbersFor, provocations } from "./provoke.ts";

/**
 * Every failure with its cause, its cure, and requests that provoke it on a service at `origin`. `error.help` names the
 * anchor of each failure.
 */
export function errors(operations: readonly Operation<never>[], origin: string): Html {
  const codesOf = new Map(operations.map((operation) => [operation.id, failuresOf(operation)]));
  const byStatus = [...Map.groupBy(Object.keys(failures) as FailureCode[], (code) => failures[code].status)].sort(
    ([a], [b]) => a - b,
  );
  return html`<h1>Failures</h1>
<p class="lead">A failure is always JSON of one shape, and the HTTP status tells the truth. <code>error.code</code> is the
stable name to program against; <code>message</code> is for people and may change.</p>
<pre><code>${sample}</code></pre>
<nav aria-label="Failures by status" class="index"><dl>
${byStatus.map(
  ([status, codes]) => html`<div><dt><a href="#status-${status}">${status}</a></dt><dd>${codes.map(
    (code) => html`<a href="#${code}">${code}</a> `,
  )}</dd></div>
`,
)}</dl></nav>
${byStatus.map(
  ([status, codes]) => html`<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status} ${STATUS_CODES[status] ?? ""}</h2>
${codes.map((code) => failure(code, codesOf, origin))}</section>
`,
)}`;
}

function failure(code: FailureCode, codesOf: ReadonlyMap<string, readonly FailureCode[]>, origin: string): Html {
  const { status, retryable, cause, cure, since } = failures[code];
  const guide = guideOn(code, status);
  return html`<article class="failure" id="${code}" aria-labelledby="${code}-name">
<h3 id="${code}-name"><a href="#${code}"><code>${code}</code></a></h3>
<dl>
<dt>Cause</dt><dd>${prose(cause)}</dd>
<dt>Cure</dt><dd>${prose(cure)}</dd>
${
  guide
    ? html`<dt>Read</dt><dd>${prose(guide)}</dd>
`
    : ""
}<dt>Status</dt><dd>${status}</dd>
<dt>Retryable</dt><dd>${retryable ? "yes: the same request may succeed later" : "no: the same request fails again"}</dd>
${
  since
    ? html`<dt>Since</dt><dd>version ${since}</dd>
`
    : ""
}<dt>Operations</dt><dd>${operationsWith(code, codesOf)}</dd>
<dt>Provoke it</dt><dd>${provoked(code, origin)}</dd>
</dl>
</article>
`;
}

/** The guide that says more about it. */
function guideOn(code: FailureCode, status: number): GuidePath | undefined {
  if (/idempotency|in_progress|no_longer_held|timeout$/.test(code)) return "/docs/idempotency";
  if ([402, 413, 414, 429, 431].includes(status)) return "/docs/limits";
  return status === 401 ? "/docs/start" : undefined;
}

function operationsWith(code: FailureCode, codesOf: ReadonlyMap<string, readonly FailureCode[]>): Html {
  const ids = [...codesOf].filter(([, codes]) => codes.includes(code)).map(([id]) => id);
  if (ids.length === codesOf.size) return html`all`;
  return ids.length === 0 ? html`none: it is the answer to other requests` : html`${listed(ids)}`;
}

function provoked(code: FailureCode, origin: string): Html {
  const numbers = numbersFor(code);
  const provocation = provocations[code];
  const way =
    provocation === undefined || typeof provocation === "string"
      ? prose(provocation ?? "")
      : html`<pre><code>${provocation.map((request) => curlLine(origin, request)).join("\n")}</code></pre>`;
  return numbers.length === 0 ? way : html`With a test key, verify ${listed(numbers)}. ${way}`;
}

function listed(names: readonly string[]): Html {
  return html`${names.map((name, place) => html`${place > 0 ? ", " : ""}<code>${name}</code>`)}`;
}

const sample = `{
  "success": false,
  "status": "failed",
  "message": "No data provider has the code FOODATA. Known codes: MTNDATA, …",
  "error": {
    "code": "provider_not_found",
    "retryable": false,
    "request_id": "…",
    "help": "/docs/errors#provider_not_found"
  }
}`;
