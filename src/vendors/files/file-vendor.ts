import type { CheckInput } from "../../checks/check.ts";
import { type Setting, setting } from "../../declare/setting.ts";
import { headerSecret, headerText, type Vendor, vendorUrl } from "../ports/vendor.ts";
import type { FileSetting, VendorFile } from "./vendor-file.ts";

/** A vendor that a file describes. */
type FileVendor = Vendor & { file: VendorFile };

/** Returns the file of a vendor, or undefined if the vendor is code. */
export const fileOf = (vendor: Pick<Vendor, "name">): VendorFile | undefined => (vendor as Partial<FileVendor>).file;

/** Makes a vendor from its file. */
export function fileVendor(file: VendorFile): FileVendor {
  const { name, title, about, settings, test_number: tested } = file;
  return {
    name,
    ...(title !== undefined && { title }),
    about,
    file,
    settings: Object.fromEntries(Object.entries(settings).map(([member, given]) => [member, settingOf(member, given)])),
    ...(tested && { testInput: () => testInputOf(tested) }),
    async open(values, parts) {
      const { openFileVendor } = await import("./open-file-vendor.ts");
      return openFileVendor(file, values, parts);
    },
  };
}

async function testInputOf(tested: NonNullable<VendorFile["test_number"]>): Promise<CheckInput> {
  const { checkInputOf, checks } = await import("../../checks/index.ts");
  return checkInputOf(checks[tested.kind], { [tested.kind]: tested.number, ...tested });
}

function settingOf(
  member: string,
  { name, about, default: usual = "", form, secret, optional }: FileSetting,
): Setting<string> {
  const how = member === "url" || form === "url" ? vendorUrl : secret ? headerSecret : headerText;
  return setting({ ...how, name, about, default: usual, ...(optional && { optional }) });
}
