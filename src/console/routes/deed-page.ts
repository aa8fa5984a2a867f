import type { CommandContext } from "../../commands/context.ts";
import { type Html, html } from "../../http/pages/html.ts";
import { list } from "../../operation/command/answer-schema.ts";
import { tableOf } from "../../operation/command/answer-table.ts";
import { amount, remark } from "../../operation/command/forms.ts";
import { type Member, membersOf, type Texts } from "../../operation/command/read-texts.ts";
import { type Command, type Effect, mayRun } from "../../operation/command.ts";
import { koboOf, nairaText } from "../../operation/money.ts";
import type { SignedIn } from "../console-request.ts";
import type { ConsoleRoom } from "../console-room.ts";
import { pathOf } from "../site-map.ts";
import { answerView, recordView } from "../view/answer-view.ts";
import { whyPasskey } from "../view/command-form.ts";
import { titleOf } from "./page-parts.ts";
import { isExpected, runAs } from "./run-as.ts";

type AnyCommand = Command<CommandContext>;

/** What a person is about to do, what it gives away and what it hits. Scripts show it in place of the form. */
export async function deedPage(
  room: ConsoleRoom,
  asked: SignedIn,
  command: AnyCommand,
  { texts, effect }: { texts: Texts; effect: Effect },
): Promise<Html> {
  const given = membersOf(command.input).flatMap(({ name, member }) =>
    texts[name] === undefined || member.holds === "passkey"
      ? []
      : [{ name, shows: "text" as const, text: member.private ? "(not shown)" : textOf(texts[name], member) }],
  );
  const hits = await hitsOf(room, asked, command, texts);
  return html`<section class="deed" aria-labelledby="deed"><h2 id="deed" tabindex="-1">Confirm: ${titleOf(command)}</h2>
<p>${room.say(command.summary)}</p>
${effect.says.map((sentence) => html`<p class="effect">${room.say(sentence)}</p>`)}
${recordView(given, room.say)}
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
async function hitsOf(room: ConsoleRoom, asked: SignedIn, command: AnyCommand, texts: Texts): Promise<Html[]> {
  const family = command.id.slice(0, command.id.lastIndexOf("."));
  const hits: Html[] = [];
  for (const { name, member } of membersOf(command.input)) {
    const text = texts[name];
    if (typeof text !== "string" || member.private || member.enum) continue;
    const isTarget = command.target?.[0] === name;
    const ids = [`${name}s.show`, `${name}s.list`, ...(isTarget ? [`${family}.show`, `${family}.list`] : [])];
    const shows = ids
      .flatMap((id) => room.site.commands.get(id) ?? [])
      .find((each) => mayRun(asked.session.person.role, each));
    const hit = shows && (await hitIn(room, asked, shows, text));
    if (hit) hits.push(hit);
  }
  return hits;
}

async function hitIn(room: ConsoleRoom, asked: SignedIn, shows: AnyCommand, text: string): Promise<Html | undefined> {
  const zone = room.config.timeZone;
  const [only] = membersOf(shows.input).filter(({ isRequired }) => isRequired);
  try {
    const { answer } = await runAs(room, asked, shows, only ? { [only.name]: text } : {});
    if (only) {
      const view = { sort: "", find: "", page: 1 };
      const plain = { say: room.say, zone, links: () => ({ own: undefined, actions: [] }) };
      return answerView({ command: shows, answer, view, urlFor: () => pathOf(shows), ...plain });
    }
    const { columns, rows } = tableOf(shows, answer, list, zone);
    const row = rows.find((each) =>
      Object.values(each).some((value) => typeof value === "string" && value.toLowerCase() === text.toLowerCase()),
    );
    return (
      row &&
      recordView(
        columns.map(({ textOf, ...column }) => ({ ...column, text: textOf(row) })),
        room.say,
      )
    );
  } catch (problem) {
    // There is no such thing: the command says so.
    if (isExpected(problem)) return undefined;
    throw problem;
  }
}
