// Some servers send `null` or `""` for a member that is not set. The library reads both as a missing member.
import { expect } from "@open-wc/testing";
import { DOCUMENTS, LISTS, NUMBERS, STRICT_LISTS } from "./unset-members.table.ts";

describe("A number that is written as text", () => {
  for (const [title, read] of NUMBERS) {
    it(`is read as a number: ${title}`, async () => {
      expect(await read(3000)).to.be.ok;
      expect(await read("3000")).to.equal(await read(3000));
      for (const other of ["3 s", "-3000", "0x10", " ", [3000], -1, null, ""]) {
        expect(await read(other), String(other)).to.equal(await read(undefined));
      }
    });
  }
});

describe("A member that is null or empty is absent", () => {
  for (const [title, read, members] of DOCUMENTS) {
    for (const member of members) {
      it(`in ${title}: ${member}`, async () => {
        const without = await read({});
        expect(await read({ [member]: null }), "null").to.deep.equal(without);
        expect(await read({ [member]: "" }), "an empty text").to.deep.equal(without);
      });
    }
  }
});

describe("A list's null entry is omitted", () => {
  for (const [title, read, valid] of STRICT_LISTS) {
    it(`in ${title}`, async () => {
      expect(await read([null, valid, null])).to.deep.equal(await read([valid]));
    });
  }
});

describe("A list's entry that is null, or has another type, is omitted", () => {
  for (const [title, read, valid] of LISTS) {
    it(`in ${title}`, async () => {
      const without = await read([valid]);
      for (const other of [null, 5, "", [], {}, { stages: null }, { stages: [null] }]) {
        const given = JSON.stringify(other);
        expect(await read([other, valid, other]), given).to.deep.equal(without);
      }
    });
  }
});
