import { type Html, html } from "../../http/pages/html.ts";
import { list } from "../../operation/command/answer-schema.ts";
import { tableOf } from "../../operation/command/answer-table.ts";
import { amount, remark } from "../../operation/command/forms.ts";
import { type Member, membersOf, type Texts } from "../../operation/command/read-texts.ts";
import type { Effect } from "../../operation/command.ts";
import { koboOf, nairaText } from "../../operation/money.ts";
import type { Visit } from "../console-room.ts";
import type { ConsoleCommand } from "../site-map.ts";
import { recordView } from "../view/answer-view.ts";
import { whyPasskey } from "../view/command-form.ts";
import { answerOf } from "./answers.ts";
import { titleOf } from "./page-parts.ts";
import { foundAs } from "./run-as.ts";

/** What a person is about to do, what it gives away and what it hits. Scripts show it in place of the form. */
export async function deedPage(visit: Visit, command: ConsoleCommand, texts: Texts, effect: Effect): Promise<Html> {
  const given = membersOf(command.input).flatMap(({ name, member }) =>
    texts[name] === undefined || member.holds === "passkey"
      ? []
      : [{ name, shows: "text" as const, text: member.private ? "(not shown)" : textOf(texts[name], member) }],
  );
  const hits = await hitsOf(visit, command, texts);
  return html`<section class="deed" aria-labelledby="deed"><h2 id="deed" tabindex="-1">Confirm: ${titleOf(command)}</h2>
<p>${visit.say(command.summary)}</p>
${effect.says.map((sentence) => html`<p class="effect">${visit.say(sentence)}</p>`)}
${recordView(given, visit.say)}
${hits.map((hit) => html`<h3>What it hits</h3>${hit}`)}
<p class="note warn">${whyPasskey(command)}</p>
<p class="wrong" role="alert" data-problem></p>
<p class="buttons"><button type="button" class="${effect.isDanger ? "danger" : "main"}" data-confirm>Confirm with your passkey</button> <button type="button" data-back>Back</button></p></section>`;
}

function textOf(given: NonNullable<Texts[string]>, { form, masks }: Member): string {
  if (given === true) return "yes";
  if (masks) return remark.read(String(given));
  const kobo = form === amount.form ? koboOf(String(given)) : undefined;
  if (kobo !== undefined) return nairaText(kobo);
  return typeof given === "string"
    ? given
    : given.map((each) => (typeof each === "string" ? each : each.name)).join(" ");
}

/** What the members name, as the list or the page of such things shows it. */
async function hitsOf(visit: Visit, command: ConsoleCommand, texts: Texts): Promise<Html[]> {
  const family = command.id.slice(0, command.id.lastIndexOf("."));
  const hits: Html[] = [];
  for (const { name, member } of membersOf(command.input)) {
    const text = texts[name];
    if (typeof text !== "string" || member.private || member.enum) continue;
    const isTarget = command.target?.[0] === name;
    const ids = [`${name}s.show`, `${name}s.list`, ...(isTarget ? [`${family}.show`, `${family}.list`] : [])];
    const [shows] = ids.flatMap((id) => visit.site.commands.get(id) ?? []);
    const hit = shows && (await hitIn(visit, shows, text));
    if (hit) hits.push(hit);
  }
  return hits;
}

async function hitIn(visit: Visit, shows: ConsoleCommand, text: string): Promise<Html | undefined> {
  const [only] = membersOf(shows.input).filter(({ isRequired }) => isRequired);
  const answer = await foundAs(visit, shows, only ? { [only.name]: text } : {});
  if (answer === undefined) return undefined;
  if (only) return answerOf(visit, shows, answer, { links: () => ({ own: undefined, actions: [] }) });
  const { columns, rows } = tableOf(shows, answer, list, visit.config.timeZone);
  const row = rows.find((each) =>
    Object.values(each).some((value) => typeof value === "string" && value.toLowerCase() === text.toLowerCase()),
  );
  const members = row && columns.map(({ textOf, ...column }) => ({ ...column, text: textOf(row) }));
  return members && recordView(members, visit.say);
}
