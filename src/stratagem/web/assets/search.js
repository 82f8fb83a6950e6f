// The Search page: one or two walkthroughs on the page, stepped together, with leaves that can be edited in place.
"use strict";

(() => {
  const page = {
    views: [],
    walkthroughs: [],
    token: 0,

    // Shows the walkthroughs at *urls* in *hosts*; the view of each is what `Stratagem.explain` gives.
    async show(hosts, urls, { step = 0, editable = false } = {}) {
      const token = ++page.token;
      let walkthroughs;
      try {
        walkthroughs = await Promise.all(urls.map((url) => fetch(url).then((answer) => {
          if (!answer.ok) throw new Error(answer.statusText);
          return answer.json();
        })));
      } catch {
        for (const host of hosts) host.textContent = "The walkthrough could not be fetched; run the search again.";
        return false;
      }
      if (token !== page.token) return false;
      page.walkthroughs = walkthroughs;
      page.views = walkthroughs.map((walkthrough, number) => {
        const root = document.createElement("div");
        hosts[number].replaceChildren(root);
        const view = Stratagem.explain(root, walkthrough, { theme: false, keys: number === 0, step });
        if (editable) root.addEventListener("click", (event) => page.edit(event, hosts[number], walkthrough));
        return view;
      });
      page.dress();
      let following = false;
      for (const view of page.views) {
        view.onstep((at) => {
          if (!following) {
            following = true;
            for (const other of page.views) if (other !== view) other.seek(Math.min(at, other.length - 1));
            following = false;
          }
          page.remember(at);
        });
      }
      return true;
    },

    // One more walkthrough on a page that has several, each stepped by itself.
    async add(host, url) {
      try {
        const walkthrough = await fetch(url).then((answer) => answer.json());
        const root = document.createElement("div");
        host.replaceChildren(root);
        page.views.push(Stratagem.explain(root, walkthrough, { theme: false, keys: false }));
        page.dress();
      } catch {
        host.textContent = "The example could not be fetched; load the page again.";
      }
    },

    at() {
      return (page.views[0]?.at ?? 0) + 1;
    },

    // What each walkthrough shows: its step, and the nodes that are drawn.
    shown() {
      return page.views.map((view) => ({ at: view.at + 1, drawn: view.drawn }));
    },

    dress() {
      const dark = document.body.classList.contains("body--dark");
      for (const view of page.views) view.element.dataset.theme = dark ? "dark" : "light";
    },

    // The address remembers the step; browsers allow only so many changes in a second.
    remember(at) {
      clearTimeout(page.later);
      page.later = setTimeout(() => {
        const here = new URL(location.href);
        here.searchParams.set("step", String(at + 1));
        history.replaceState(history.state, "", here);
      }, 250);
    },

    // A click on a leaf opens a field in its place.
    edit(event, host, walkthrough) {
      const leaf = event.target.closest("g.node.k-leaf");
      if (!leaf || leaf.dataset.node === undefined) return;
      const number = Number(leaf.dataset.node);
      const path = [];
      for (let node = number; walkthrough.nodes[node][0] >= 0; node = walkthrough.nodes[node][0]) path.unshift(Number(walkthrough.nodes[node][1]));
      const box = leaf.getBoundingClientRect();
      const frame = host.getBoundingClientRect();
      const field = document.createElement("input");
      field.className = "leaf-field";
      field.inputMode = "decimal";
      field.setAttribute("aria-label", "value of the leaf");
      field.value = (walkthrough.nodes[number][4] ?? "").replace("−", "-");
      field.style.left = box.x - frame.x + box.width / 2 + "px";
      field.style.top = box.y - frame.y + box.height / 2 + "px";
      let done = false;
      const close = (keep) => {
        if (done) return;
        done = true;
        field.remove();
        const value = Number(field.value.replace("−", "-"));
        if (keep && field.value.trim() !== "" && Number.isFinite(value))
          host.dispatchEvent(new CustomEvent("leaf", { detail: { path, value } }));
      };
      field.addEventListener("keydown", (press) => {
        press.stopPropagation();
        if (press.key === "Enter") close(true);
        if (press.key === "Escape") close(false);
      });
      field.addEventListener("blur", () => close(true));
      host.append(field);
      field.focus();
      field.select();
    },
  };
  new MutationObserver(() => page.dress()).observe(document.body ?? document.documentElement, { attributes: true, attributeFilter: ["class"], subtree: false });
  document.addEventListener("DOMContentLoaded", () =>
    new MutationObserver(() => page.dress()).observe(document.body, { attributes: true, attributeFilter: ["class"] }));
  window.SearchPage = page;
})();
