import type { Part } from "../../../declare/command/answer-schema.ts";
import { memberWith, partsOf } from "../../../declare/command/answer-table.ts";
import { membersOf } from "../../../declare/command/read-texts.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { Landed, Landing, PageRequest, Said } from "../console-room.ts";
import { type ConsoleCommand, isMaker, pathOf, placeOf, urlOf } from "../site-map.ts";
import { secretBox } from "../view/answer-view.ts";
import { money } from "../view/cells.ts";
import { fieldLabel } from "../view/form-field.ts";
import { recordMade, recordOfTexts } from "../view/record-links.ts";
import { mendLinks } from "../view/words.ts";
import { memberText, type SentForm } from "./form-texts.ts";
import { learnNames } from "./learn-names.ts";
import { tabAddress } from "./record-tabs.ts";
import { answerIfFound } from "./run-as.ts";

/**
 * Returns the page to open after a form: the changed record, the created record, or its list. Undefined if the answer
 * itself must be shown, such as a dry run.
 */
export async function landingOf(
  request: PageRequest,
  { command, given, was }: Omit<SentForm, "form">,
  answer: unknown,
): Promise<Landing | undefined> {
  if (command.kind === "read" || given.dry_run) return undefined;
  const { site, times } = request;
  const parts = partsOf(command, answer, times);
  const isTable = (part: Part) => typeof part !== "string" && ("list" in part || "rows" in part);
  const ofAnswer = () => recordOfTexts(site, command, (member) => (answer as Record<string, unknown>)[member]);
  const isNew = isMaker(command) || memberWith("secret", command.answer) !== undefined;
  const record = isNew
    ? recordMade(site, command, answer)
    : parts.some(isTable)
      ? ofAnswer()
      : (recordOfTexts(site, command, (member) => given[member]) ?? listBeside(request, command, given) ?? ofAnswer());
  // A table that appears on no record's page must be shown itself.
  if (record === undefined && parts.some(isTable)) return undefined;
  const changes = membersOf(command.input).flatMap(({ name, member }) => {
    if (given[name] === undefined || !Object.hasOwn(was, name) || member.private) return [];
    const [before, after] = [was[name] ?? [], given[name]].map((each) => memberText(each, member) || "none");
    const what = fieldLabel(name, member);
    return [{ what, before: before!, after: after! }];
  });
  const isSaid = (part: Part): part is Said =>
    typeof part === "string" || "text" in part || "note" in part || "problem" in part;
  const said = parts.filter(isSaid);
  // The command may have renamed the record. Then the record's new name is in the command's answer.
  const found = record !== undefined && (await isThere(request, record)) ? record : recordMade(site, command, answer);
  const isShown = found !== undefined && (await isThere(request, found));
  return {
    address: isShown ? found : (listBeside(request, command, given) ?? placeOf(site, command).path),
    says: changes.length === 0 ? said : said.filter((part) => typeof part !== "string" && !("text" in part)),
    changes,
  };
}

/** Whether the record still exists: the command may have removed it. */
async function isThere(request: PageRequest, address: string): Promise<boolean> {
  const { path, command, query } = pageAt(request, address);
  if (request.site.places.some((place) => place.path === path)) return true;
  return command !== undefined && (await answerIfFound(request, command, Object.fromEntries(query))) !== undefined;
}

/** Returns the command of an address, and its query. */
export function pageAt({ site }: PageRequest, address: string) {
  const [path = "", query] = address.split("?");
  const command = [...site.commands.values()].find((each) => pathOf(each) === path);
  return { path, command, query: new URLSearchParams(query) };
}

/**
 * Returns the address of the list beside the command, such as `keys.list` for `keys.revoke`, filtered by the input;
 * undefined if there is no list.
 */
function listBeside({ site }: PageRequest, { id }: ConsoleCommand, given: SentForm["given"]): string | undefined {
  const list = site.commands.get(id.replace(/[^.]+$/, "list"));
  if (!list) return undefined;
  const texts = membersOf(list.input).flatMap(({ name }) =>
    typeof given[name] === "string" ? [[name, given[name]] as const] : [],
  );
  return tabAddress(site, list, Object.fromEntries(texts));
}

/** Returns the address of a landing. `kept`: the id of its stored sentences. */
export function landingAddress({ address }: Landing, kept: string): string {
  const [path = "", query] = address.split("?");
  return urlOf(path, new URLSearchParams(query), { _did: kept });
}

/** Renders the result of the last form, above the page that it led to. */
export async function landedView({ say, names, store }: PageRequest, landed: Landed): Promise<Html> {
  const { says, changes, secret } = landed;
  const texts = says.flatMap((part) => {
    if (typeof part === "string") return [part];
    return "text" in part ? [part.text] : "problem" in part ? [part.problem, part.note ?? ""] : [part.note];
  });
  const pieces = texts.flatMap((text) => (typeof text === "string" ? [] : text));
  await learnNames(
    store.db,
    names,
    pieces.filter((piece) => typeof piece !== "string"),
  );
  const changed = changes.map(
    ({ what, before, after }, at) =>
      html`${at === 0 ? "" : " · "}${what}: ${money(before)} → <strong>${money(after)}</strong>`,
  );
  const lines = says.map((part) => {
    if (typeof part === "string") return part === "" ? "" : html`<p class="says">${say(part)}</p>`;
    if ("text" in part) return html`<p class="says">${say(part.text)}</p>`;
    const text = "problem" in part ? html`${say(part.problem)} ${say(part.note ?? "")}` : say(part.note);
    return html`<p class="${"problem" in part ? "warn" : "quiet"}">${text} ${mendLinks(part.mends, say)}</p>`;
  });
  return html`<div class="outcome landed" role="status">${changed.length === 0 ? "" : html`<p class="says">${changed}</p>`}${lines}${secret ? secretBox(secret.name, secret.value) : ""}</div>`;
}
