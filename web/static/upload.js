// Uploading: every file is a request of its own with a row of its own; files and folders can be chosen or dropped.

const form = document.querySelector("[data-upload]");
const AT_ONCE = 3;
const HIDDEN = /^(\.|~\$)|^(thumbs\.db|desktop\.ini)$/i;

if (form) {
  const list = document.getElementById("documents");
  const template = document.getElementById("sending");
  const words = document.getElementById("upload-words").dataset;
  const limit = Number(form.dataset.limit);
  const waiting = [];
  const tally = document.getElementById("tally");
  const nothing = { new: 0, changed: 0, unchanged: 0, refused: 0 };
  let counted = { ...nothing };
  let running = 0;

  for (const input of form.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", () => {
      take([...input.files].map((file) => ({ file, folder: folderOf(file.webkitRelativePath) })));
      input.value = "";
    });
  }

  const zone = document.querySelector("[data-drop]");
  let depth = 0;
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  zone.addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth += 1;
    form.classList.add("over");
  });
  zone.addEventListener("dragover", (event) => { if (carriesFiles(event)) event.preventDefault(); });
  zone.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (!depth) form.classList.remove("over");
  });
  zone.addEventListener("drop", async (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    form.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const found = [];
    for (const entry of entries) await gather(entry, "", found);
    take(found);
  });
  // a file dropped beside the page must not take the page's place
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => { if (carriesFiles(event)) event.preventDefault(); });

  async function gather(entry, folder, found) {
    if (HIDDEN.test(entry.name)) return;
    if (entry.isFile) {
      const file = await new Promise((done) => entry.file(done, () => done(null)));
      if (file) found.push({ file, folder });
      return;
    }
    const reader = entry.createReader();
    const inside = folder ? `${folder}/${entry.name}` : entry.name;
    for (;;) { // a reader hands out at most 100 entries a time
      const batch = await new Promise((done) => reader.readEntries(done, () => done([])));
      if (!batch.length) return;
      for (const child of batch) await gather(child, inside, found);
    }
  }

  function folderOf(path) {
    return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
  }

  function take(files) {
    if (!running && !waiting.length) {
      counted = { ...nothing };
      tally.hidden = true;
    }
    for (const item of files) {
      if (HIDDEN.test(item.file.name)) continue;
      const row = template.content.firstElementChild.cloneNode(true);
      row.querySelector("[data-name]").textContent = item.file.name;
      row.querySelector("[data-folder]").textContent = item.folder;
      state(row, words.waiting);
      list.prepend(row);
      if (item.file.size > limit) {
        fail(row, words.toolarge);
        continue;
      }
      row.querySelector("[data-again]").addEventListener("click", () => {
        counted.refused = Math.max(0, counted.refused - 1);
        state(row, words.waiting);
        buttons(row, true);
        waiting.push({ ...item, row });
        next();
      });
      waiting.push({ ...item, row });
    }
    next();
  }

  function next() {
    while (running < AT_ONCE && waiting.length) {
      running += 1;
      send(waiting.shift()).finally(() => {
        running -= 1;
        next();
        if (running) return;
        sum();
        htmx.trigger("#poll", "wake");
      });
    }
  }

  // of a folder nobody reads every row: what was new, changed, or known already
  function sum() {
    const { refused, ...taken } = counted;
    if (taken.new + taken.changed + taken.unchanged + refused < 2) return;
    const text = words.tally.replace(/\{(\w+)\}/g, (_, kind) => taken[kind]);
    tally.textContent = refused ? `${text}, ${words.refused.replace("{n}", refused)}` : text;
    tally.hidden = false;
  }

  function send({ file, folder, row }) {
    return new Promise((done) => {
      const data = new FormData();
      data.append("folder", folder);
      data.append("files", file, file.name);
      const request = new XMLHttpRequest();
      request.open("POST", form.action);
      request.setRequestHeader("HX-Request", "true");
      request.upload.addEventListener("progress", (event) => {
        const percent = Math.floor((100 * event.loaded) / Math.max(1, event.total));
        state(row, percent < 100 ? words.sending.replace("{percent}", percent) : words.checking);
      });
      request.addEventListener("load", () => finish(request, row));
      request.addEventListener("error", () => fail(row, words.failed, true));
      request.addEventListener("loadend", done);
      request.send(data);
    });
  }

  function finish(request, row) {
    if (request.getResponseHeader("HX-Redirect")) {
      location.assign(request.getResponseHeader("HX-Redirect"));
      return;
    }
    const reply = document.createElement("template");
    reply.innerHTML = request.responseText; // our own server's HTML, escaped there
    const rows = [...reply.content.querySelectorAll("li.document")];
    if (request.status >= 400 || !rows.length) {
      fail(row, reply.content.textContent.replace(/\s+/g, " ").trim() || words.failed, request.status >= 500);
      return;
    }
    for (const fresh of rows) {
      if (fresh.dataset.was) counted[fresh.dataset.was] += 1;
      else counted.refused += 1;
      if (fresh.id) document.getElementById(fresh.id)?.remove();
      row.before(fresh);
      htmx.process(fresh);
    }
    row.remove();
  }

  function state(row, text) {
    const place = row.querySelector("[data-state]");
    place.className = "document-state state reading";
    place.textContent = text;
  }

  function fail(row, text, again = false) {
    counted.refused += 1;
    const place = row.querySelector("[data-state]");
    place.className = "document-state state refused";
    place.textContent = text;
    buttons(row, false, again);
  }

  function buttons(row, hide, again = true) {
    row.querySelector("[data-again]").hidden = hide || !again;
    row.querySelector("[data-dismiss]").hidden = hide;
  }

  window.addEventListener("beforeunload", (event) => { if (running || waiting.length) event.preventDefault(); });

  list.addEventListener("click", (event) => {
    if (event.target.closest("[data-dismiss]")) event.target.closest("li").remove();
  });
}
