import { namesLike } from "../../../commands/records/search-records.ts";
import type { HttpResponse } from "../../../http/shell/http-response.ts";
import { longestForm } from "../console-request.ts";
import { page } from "../console-response.ts";
import type { PageRequest } from "../console-room.ts";
import { pickedOptions } from "../view/form-field.ts";
import { type OpenedRecord, openedLinks } from "../view/frame.ts";
import { recordAddress } from "../view/record-links.ts";
import { pickedLike } from "./pickers.ts";
import { contextForPerson, ownForm } from "./run-as.ts";

const most = 5;

/** Answers names and e-mails that match the typed text: for the search box, or for a field with many choices. */
export async function foundNames(request: PageRequest): Promise<HttpResponse> {
  const form = await ownForm(request, longestForm);
  const picked = await pickedLike(request, request.query.get("_names")!, String(form.get("text")));
  if (picked) return page(pickedOptions(picked).text);
  const rows = await namesLike(String(form.get("text")).trim(), request.site.records, contextForPerson(request));
  const found = rows.slice(0, most).flatMap(({ kind, name, about }): OpenedRecord[] => {
    const address = recordAddress(request.site, { kind, name });
    return address === undefined ? [] : [{ address, title: about, beside: name }];
  });
  return page(openedLinks(found).text);
}

/** Notes that the person opened a record, for the search box. */
export function noteOpened({ opened, session }: PageRequest, record: OpenedRecord): void {
  const before = (opened.get(session.hash) ?? []).filter(({ address }) => address !== record.address);
  opened.set(session.hash, [record, ...before].slice(0, most));
}
