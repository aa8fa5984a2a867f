import type { Letter, LetterDay, LetterFact } from "../../../declare/command/letter.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { documentEnd, documentHead } from "../view/frame.ts";

const mostInColumns = 200;

/** Yields a letter as an HTML page, day by day: a month may have a hundred thousand lines. */
export async function* letterDocument(
  letter: Letter,
  { back, csv }: { back: string; csv: string },
): AsyncGenerator<string> {
  const { title, number, to, from, due, sums, pay, notes, annex } = letter;
  const costs = sums.map(
    ({ what, number = "", price = "", amount }, at) =>
      html`<tr${at === sums.length - 1 ? html` class="total"` : ""}><td>${what}</td><td class="number">${number}</td><td class="number">${price}</td><td class="number">${amount}</td></tr>`,
  );
  const front = html`<nav class="acts-bar" aria-label="Letter"><a class="button" href="${back}">Back</a><span class="tools"><a class="button" href="${csv}">CSV</a><button type="button" class="button main" data-print>Print</button></span></nav>
<main id="main" tabindex="-1">
<header class="title"><h1>${title}</h1><span class="quiet id">${number}</span></header>
<div class="parties">${party("To", to)}${party("From", from)}</div>
<dl class="due">${due.map(fact)}</dl>
<table class="sums"><caption class="visually-hidden">What it comes to</caption><thead><tr><th scope="col">What</th><th scope="col" class="number">Number</th><th scope="col" class="number">Price</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>${costs}</tbody></table>
${pay.length === 0 ? "" : html`<section><h2>Please pay to</h2><dl class="facts">${pay.map(fact)}</dl></section>`}
${notes.map((note) => html`<p class="quiet">${note}</p>`)}
<section class="annex"><div class="heads"><h2>${annex.title}</h2><span class="quiet">${annex.about}</span></div>
<div class="lines">`;
  yield `${documentHead({ title: `${title} for ${to[0]}`, scripts: ["console.js"] }, "paper")}${front.text}`;
  const ends: string[] = [];
  let many = 0;
  for await (const part of annex.parts) {
    if (typeof part === "string") {
      ends.push(part);
      continue;
    }
    // A new block, because browsers rebalance all columns of a block for each added line.
    if (many > mostInColumns) yield '</div><div class="lines">';
    many = (many > mostInColumns ? 0 : many) + part.lines.length;
    yield dayTable(part).text;
  }
  yield `</div></section>${html`${ends.map((note) => html`<p class="quiet">${note}</p>`)}`.text}</main>${documentEnd}`;
}

function party(label: string, [name = "", ...more]: readonly string[]): Html {
  return html`<p><span class="quiet">${label}</span><strong>${name}</strong>${more.map((line) => html`${line}<br>`)}</p>`;
}

function fact([label, text]: LetterFact): Html {
  return html`<div><dt>${label}</dt><dd>${text}</dd></div>`;
}

function dayTable({ title, about, lines }: LetterDay): Html {
  const rows = lines.map(
    ({ clock, reference, what, amount }) =>
      html`<tr><td>${clock}</td><td class="id">${reference}</td><td>${what}</td><td class="number">${amount}</td></tr>`,
  );
  return html`<table><caption>${title} <span>${about}</span></caption><tbody>${rows}</tbody></table>`;
}
