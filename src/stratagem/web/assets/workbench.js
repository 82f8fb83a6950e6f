// What the browser does by itself: keys on boards, what is kept in this browser, frames that talk to their page.
"use strict";

(() => {
  // Arrow keys go from cell to cell of a board; Enter and the space bar click.
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.("svg.sb [data-cell]");
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      cell.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    nearest(cell, way)?.focus();
  });

  // Where a match is replayed these keys go through it: the page itself stays where it is.
  document.addEventListener("keydown", (event) => {
    if (!["Home", "End", " "].includes(event.key) || event.target !== document.body) return;
    if (document.querySelector(".replay")) event.preventDefault();
  });

  function nearest(cell, [dx, dy]) {
    const from = middle(cell);
    let best = null;
    let least = Infinity;
    for (const other of cell.ownerSVGElement.querySelectorAll("[data-cell]")) {
      const to = middle(other);
      const along = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      const distance = along + 3 * aside;
      if (other !== cell && along > 2 && distance < least) [best, least] = [other, distance];
    }
    return best;
  }

  function middle(element) {
    const box = element.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  // A board that is drawn anew keeps the focus on the same cell.
  let focused = null;
  document.addEventListener("focusin", (event) => {
    const cell = event.target.closest?.("svg.sb [data-cell]");
    focused = cell ? [cell.dataset.board, cell.dataset.cell] : null;
  });
  new MutationObserver(() => {
    if (!focused || (document.activeElement && document.activeElement !== document.body)) return;
    const [board, name] = focused;
    for (const cell of document.querySelectorAll("svg.sb [data-cell]"))
      if (cell.dataset.board === board && cell.dataset.cell === name) return cell.focus();
  }).observe(document.documentElement, { childList: true, subtree: true });

  // Paper is light, and has room for the whole sheet: the editor draws only the lines that are in sight.
  let wasDark = false;
  addEventListener("beforeprint", () => {
    for (const editor of document.querySelectorAll(".editor")) {
      const content = editor.querySelector(".cm-content");
      const text = (content?.cmView ?? content?.cmTile)?.view?.state?.doc?.toString();
      if (text === undefined) continue;
      const sheet = document.createElement("pre");
      sheet.className = "print-sheet";
      sheet.textContent = text;
      editor.before(sheet);
    }
    wasDark = document.body.classList.contains("body--dark");
    if (wasDark) document.body.classList.replace("body--dark", "body--light");
  });
  addEventListener("afterprint", () => {
    for (const sheet of document.querySelectorAll(".print-sheet")) sheet.remove();
    if (wasDark) document.body.classList.replace("body--light", "body--dark");
  });

  // What is pasted or dropped into the editor and is larger than any sheet never leaves the browser.
  const LONGEST_PASTE = 200_000;
  const tooLong = (length) =>
    window.Quasar?.Notify?.create({
      message: `${length.toLocaleString("en")} characters are more than a sheet may have (${LONGEST_PASTE.toLocaleString("en")}).`,
      type: "warning",
    });
  const refuseLong = (event, length) => {
    if (length <= LONGEST_PASTE || !event.target.closest?.(".cm-editor")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    tooLong(length);
  };
  document.addEventListener("paste", (event) => refuseLong(event, event.clipboardData?.getData("text").length ?? 0), true);
  document.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])].reduce((sum, file) => sum + file.size, 0);
    refuseLong(event, Math.max(files, event.dataTransfer?.getData("text").length ?? 0));
  }, true);

  window.Workbench = {
    // What is kept in this browser: the progress of the course.
    kept(name) {
      try {
        return JSON.parse(localStorage.getItem("stratagem." + name)) ?? {};
      } catch {
        return {};
      }
    },
    keep(name, key, value) {
      const all = this.kept(name);
      all[key] = value;
      try {
        localStorage.setItem("stratagem." + name, JSON.stringify(all));
      } catch {
        // a browser that keeps nothing still shows everything
      }
      return all;
    },
    forget(name) {
      localStorage.removeItem("stratagem." + name);
    },
    // What the page shows, said by its address.
    address(path) {
      if (location.pathname + location.search !== path) history.replaceState(history.state, "", path);
    },
    put(said) {
      const here = new URL(location.href);
      for (const [name, value] of Object.entries(said))
        if (value === "") here.searchParams.delete(name);
        else here.searchParams.set(name, value);
      this.address(here.pathname + here.search);
    },
    cell(event) {
      const cell = event.target.closest?.("[data-cell]");
      return cell ? cell.dataset.board + ":" + cell.dataset.cell : null;
    },
  };
})();
