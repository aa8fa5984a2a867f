import { anyLabel, checkKinds, labelOf, notFoundCode } from "../../operation/check-kind.ts";
import { sandboxNumbers } from "../../upstreams/sandbox/numbers.ts";
import { scenarioHeader, scenarioRows } from "../rehearsal/scenarios.ts";
import { type Html, html, prose } from "./html.ts";

const [first, ...others] = checkKinds;

/** The test numbers with a fixed result. */
export function sandboxPage(): Html {
  return html`<h1>Sandbox</h1>
<p class="lead">A test key (<code>duba_test_…</code>) reaches the sandbox and nothing else. Any well-formed ${anyLabel} that is not
listed here is verified as an invented person, always the same one for the same number, and every phone matches.</p>
<h2 id="numbers">Numbers with a fixed result</h2>
<table aria-labelledby="numbers">
<thead><tr><th scope="col">${anyLabel}</th><th scope="col">Result</th><th scope="col">Retry with its key</th><th scope="col">What happens</th></tr></thead>
<tbody>
${sandboxNumbers(first!).map(
  ({
    number,
    result,
    retried,
    description,
  }) => html`<tr><th scope="row"><code>${number}</code></th><td>${outcome(result)}</td><td>${
    retried === result ? "the same" : outcome(retried)
  }</td><td>${prose(description)}</td></tr>
`,
)}</tbody></table>
${others.map(
  (
    kind,
  ) => html`<p>A ${labelOf(kind)} that nobody has is answered ${outcome(`404 ${notFoundCode(kind)}`)}. All else is the same.</p>
`,
)}
<h2 id="scenarios">Scenarios of look-ups</h2>
<p>With a test key, a look-up does what the request header <code>${scenarioHeader}</code> asks for, and its answer repeats the header.
Without a test key the header does nothing.</p>
<table aria-labelledby="scenarios">
<thead><tr><th scope="col">${scenarioHeader}</th><th scope="col">Result</th><th scope="col">What happens</th></tr></thead>
<tbody>
${scenarioRows().map(
  ({
    scenario,
    result,
    description,
  }) => html`<tr><th scope="row"><code>${scenario}</code></th><td>${outcome(result)}</td><td>${prose(description)}</td></tr>
`,
)}</tbody></table>
<h2 id="live">Live keys</h2>
<p>A live key (<code>duba_live_…</code>) never reaches the sandbox: with no licensed identity source set up it answers
${outcome("503 upstream_not_configured")}.</p>`;
}

/** A result, with the code of a failure leading to its explanation. */
function outcome(result: string): Html {
  const [, status, code] = /^(\d{3}) (\w+)$/.exec(result) ?? [];
  return status && code
    ? html`<span class="outcome">${status} <a href="/docs/errors#${code}"><code>${code}</code></a></span>`
    : html`<span class="good">${result}</span>`;
}
