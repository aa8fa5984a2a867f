import Negotiator from "negotiator";
import type { ContentEncoding } from "../../declare/answers/ready-response.ts";
import { recent } from "../../runtime/recent.ts";

const OFFERED: ContentEncoding[] = ["br", "gzip", "identity"];
const byHeader = recent<ContentEncoding>(500);

/** The content encoding that an `Accept-Encoding` header prefers. Headers repeat, so the result is cached. */
export function acceptedEncoding(header: string | string[] | undefined): ContentEncoding {
  if (typeof header !== "string" || header === "") return "identity";
  let encoding = byHeader.get(header);
  if (encoding === undefined) {
    const negotiator = new Negotiator({ headers: { "accept-encoding": header } });
    encoding = (negotiator.encodings(OFFERED)[0] as ContentEncoding | undefined) ?? "identity";
    if (header.length <= 200) byHeader.set(header, encoding);
  }
  return encoding;
}
