import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { looseRights } from "../../runtime/private-files.ts";
import type { Vendor } from "../ports/vendor.ts";
import { fileVendor } from "./file-vendor.ts";
import { largestFile, readVendorFile } from "./read-vendor-file.ts";

const mostFiles = 32;
const mostTold = 5;

/** Reads the vendors in a folder's `.json` files. Returns sentences about the problems of the files. */
export function vendorFilesIn(folder: string): { vendors: Vendor[]; problems: string[] } {
  const problems: string[] = [];
  const vendors: Vendor[] = [];
  for (const path of pathsIn(folder, problems)) {
    const read = readAt(path);
    if ("problems" in read) problems.push(...read.problems);
    else if (vendors.some(({ name }) => name === read.vendor.name))
      problems.push(`The vendor file ${path} describes ${read.vendor.name}, as another file does: keep one of them.`);
    else vendors.push(read.vendor);
  }
  return { vendors, problems };
}

function pathsIn(folder: string, problems: string[]): string[] {
  try {
    const loose = looseRights(folder, statSync(folder));
    if (loose) problems.push(`DUBA_VENDOR_FILES: the folder ${folder} ${loose}.`);
    const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
    if (names.length > mostFiles)
      problems.push(`DUBA_VENDOR_FILES: the folder ${folder} has more than ${mostFiles} vendor files: take some out.`);
    return names.length > mostFiles ? [] : names.sort().map((name) => join(folder, name));
  } catch (error) {
    problems.push(
      `DUBA_VENDOR_FILES must be a folder that Duba can read, and ${folder} is none (${(error as NodeJS.ErrnoException).code}).`,
    );
    return [];
  }
}

function readAt(path: string): { vendor: Vendor } | { problems: string[] } {
  const found = textAt(path);
  if ("wrong" in found) return { problems: [`The vendor file ${path} ${found.wrong}.`] };
  const read = readVendorFile(found.text);
  if ("file" in read) return { vendor: fileVendor(read.file) };
  const told = read.problems.slice(0, mostTold);
  const more = read.problems.length > mostTold ? [`duba upstreams check ${path} says what else is wrong there.`] : [];
  const sentences = told.map(
    ({ place, problem, cure }) => `The vendor file ${path} is wrong at ${place || "its beginning"}: ${problem} ${cure}`,
  );
  return { problems: [...sentences, ...more] };
}

/** Returns the text of a file that only this user can change and read, or the reason why Duba does not read it. */
export function textAt(path: string): { text: string } | { wrong: string } {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const stats = fstatSync(file);
    if (!stats.isFile()) return { wrong: "is no file" };
    const loose = looseRights(path, stats);
    if (loose) return { wrong: loose };
    if (stats.size > largestFile) return { wrong: `is larger than ${largestFile / 1024} KiB: shorten its samples` };
    return { text: readFileSync(file, "utf8") };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { wrong: `cannot be read (${code}): check its path and who owns it` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
