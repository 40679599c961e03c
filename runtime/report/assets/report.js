// Draws the charts of a report from the JSON in the page, filters its attempts, and opens what a link leads to.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const style = () => getComputedStyle(document.documentElement);
  const colour = (name) => style().getPropertyValue("--" + name).trim();
  const model = (index) => colour("m" + (index % 8));
  const percent = (share) => (share === null ? null : share * 100);
  const charts = [];

  // A class keeps its colour whichever classes a report has.
  const classColours = {
    "implicit": "m0", "abandoned": "m1", "premature-stop": "m4", "malformed-calls": "m3",
    "context-overflow": "m5", "turn-limit": "m6", "time-limit": "m7", "budget-limit": "m2",
  };

  const base = (extra) => ({
    responsive: true,
    maintainAspectRatio: false,
    animation: false,
    ...extra,
    plugins: {
      legend: { labels: { boxWidth: 12, boxHeight: 12, usePointStyle: false } },
      ...(extra.plugins || {}),
    },
  });

  const draw = (id, config) => {
    const canvas = document.getElementById("chart-" + id);
    if (canvas) charts.push(new Chart(canvas, config));
  };

  const rateAxis = (title) => ({
    min: 0, max: 100, title: { display: true, text: title },
    ticks: { callback: (value) => value + " %" },
  });

  const dollars = (value) =>
    String(value >= 1 ? value.toFixed(2) : Number(value.toPrecision(2)));

  // 0, 1, -1, 2, -2, … up to so many.
  const steps = function* (most) {
    yield 0;
    for (let step = 1; step <= most; step += 1) yield* [step, -step];
  };

  // Names stand beside their points, so that no legend has to be matched with colours.
  const pointNames = {
    id: "pointNames",
    afterDatasetsDraw(chart) {
      const { ctx, chartArea } = chart;
      ctx.save();
      ctx.font = "12px " + getComputedStyle(document.body).fontFamily;
      ctx.textBaseline = "middle";
      // A name stands on no point and on no other name.
      const taken = chart.data.datasets.flatMap((_, index) =>
        chart.getDatasetMeta(index).data.map(({ x, y }) =>
          ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 })));
      chart.data.datasets.forEach((set, index) => {
        chart.getDatasetMeta(index).data.forEach((point, place) => {
          const whole = set.data[place].name;
          if (!whole) return;
          const room = chartArea.right - chartArea.left;
          const name = ctx.measureText(whole).width > room / 2 ? short(whole) : whole;
          const width = ctx.measureText(name).width;
          const beside = [point.x + 10, point.x - 10 - width];
          const edges = [chartArea.right - width, chartArea.left];
          const boxes = (set.quiet ? [beside] : [beside, edges]).flatMap((places) =>
            [...steps(set.quiet ? 0 : 20)].flatMap((lines) => {
              const y = point.y + lines * 15;
              return places.map((x) => ({ left: x, right: x + width, top: y - 7, bottom: y + 7 }));
            }));
          const inside = (box) => box.left >= chartArea.left - 4 && box.right <= chartArea.right + 8 &&
            box.top >= chartArea.top - 8 && box.bottom <= chartArea.bottom;
          const free = (box) => !taken.some((other) => box.left < other.right &&
            other.left < box.right && box.top < other.bottom && other.top < box.bottom);
          const box = boxes.find((one) => inside(one) && free(one));
          // The tooltip has it where there is no room at all.
          if (!box) return;
          taken.push(box);
          const y = (box.top + box.bottom) / 2;
          if (y !== point.y) {
            ctx.strokeStyle = set.backgroundColor[place];
            ctx.lineWidth = 1;
            ctx.beginPath();
            ctx.moveTo(point.x, point.y);
            const near = Math.min(Math.max(point.x, box.left), box.right);
            ctx.lineTo(near, y + Math.sign(point.y - y) * 6);
            ctx.stroke();
          }
          ctx.fillStyle = set.quiet ? colour("dim") : colour("text");
          ctx.fillText(name, box.left, y);
        });
      });
      ctx.restore();
    },
  };

  // The interval of each value as a line with ends. Those of one place stand beside each other.
  const whiskers = {
    id: "whiskers",
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      const sets = chart.data.datasets.map((set, index) => ({ set, index }))
        .filter(({ set, index }) => set.intervals && chart.isDatasetVisible(index));
      ctx.save();
      ctx.lineWidth = 1.2;
      sets.forEach(({ set, index }, rank) => {
        const meta = chart.getDatasetMeta(index);
        const aside = set.aside ? (rank - (sets.length - 1) / 2) * 5 : 0;
        meta.data.forEach((element, place) => {
          const interval = set.intervals[place];
          if (!interval || element.skip) return;
          const [low, high] = interval.map((share) => meta.yScale.getPixelForValue(percent(share)));
          const x = element.x + aside;
          ctx.strokeStyle = set.whiskers || colour("text");
          ctx.beginPath();
          ctx.moveTo(x, low);
          ctx.lineTo(x, high);
          for (const y of [low, high]) {
            ctx.moveTo(x - 4, y);
            ctx.lineTo(x + 4, y);
          }
          ctx.stroke();
        });
      });
      ctx.restore();
    },
  };

  const range = (interval) => (interval
    ? " (95 %: " + percent(interval[0]).toFixed(1) + "–" + percent(interval[1]).toFixed(1) + " %)" : "");

  const cost = () => {
    const own = data.models.flatMap((entry, index) =>
      entry.cost > 0 && entry.pass !== null
        ? [{
            x: entry.cost, y: percent(entry.pass), name: entry.name, colour: model(index),
            interval: entry.at_intervals[0],
          }]
        : []);
    const others = data.published.filter((entry) => entry.cost > 0)
      .map((entry) => ({ x: entry.cost, y: percent(entry.pass), name: entry.name }));
    const datasets = [{
      label: "this experiment", data: own, intervals: own.map((point) => point.interval),
      whiskers: colour("dim"), pointRadius: 6, pointHoverRadius: 8, clip: false,
      backgroundColor: own.map((point) => point.colour), borderColor: colour("card"), borderWidth: 1.5,
    }];
    if (others.length) {
      datasets.push({
        label: "published, other tasks", data: others, quiet: true, pointRadius: 4,
        pointStyle: "triangle", backgroundColor: "transparent", borderColor: colour("dim"), borderWidth: 1.2,
      });
    }
    const costs = [...own, ...others].map((point) => point.x);
    draw("cost", {
      type: "scatter",
      data: { datasets },
      plugins: [whiskers, pointNames],
      options: base({
        layout: { padding: { right: 12, top: 8 } },
        scales: {
          x: {
            type: "logarithmic", title: { display: true, text: "USD an attempt" },
            // Room beside the outermost points.
            ...(costs.length && { min: Math.min(...costs) / 1.3, max: Math.max(...costs) * 1.3 }),
            ticks: {
              autoSkip: true, maxRotation: 0, maxTicksLimit: 7,
              callback: (value) => (/^[125]/.test(String(value).replace(/^0\.0*/, "")) ? dollars(value) : ""),
            },
          },
          y: rateAxis("pass@1"),
        },
        plugins: {
          legend: { display: others.length > 0, labels: { usePointStyle: true, boxHeight: 7 } },
          tooltip: { callbacks: { label: (item) =>
            item.raw.name + ": " + item.raw.y.toFixed(2) + " %" + range(item.raw.interval) + ", " +
              dollars(item.raw.x) + " USD" } },
        },
      }),
    });
  };

  const reliability = () => {
    const most = Math.max(...data.models.map((entry) => entry.at.length));
    const line = (entry, index, values, intervals, dashed) => ({
      label: entry.name + (dashed ? ", pass^k" : ", pass@k"),
      data: values.map(percent), borderColor: model(index), backgroundColor: model(index),
      borderDash: dashed ? [6, 4] : [], pointRadius: 3.5, tension: 0,
      pointStyle: dashed ? "rect" : "circle", clip: false,
      intervals, aside: true, whiskers: model(index),
    });
    draw("reliability", {
      type: "line",
      plugins: [whiskers],
      data: {
        labels: Array.from({ length: most }, (_, k) => "k = " + (k + 1)),
        datasets: data.models.flatMap((entry, index) =>
          [line(entry, index, entry.at, entry.at_intervals, false),
            line(entry, index, entry.hat, entry.hat_intervals, true)]),
      },
      options: base({
        scales: { y: rateAxis("share of tasks") },
        plugins: {
          // One entry a model, for both of its lines.
          legend: {
            labels: {
              boxWidth: 12, boxHeight: 12,
              generateLabels: (chart) =>
                Chart.defaults.plugins.legend.labels.generateLabels(chart)
                  .filter((item) => item.datasetIndex % 2 === 0)
                  .map((item) => ({ ...item, text: data.models[item.datasetIndex / 2].name, lineDash: [] })),
            },
            onClick: (event, item, legend) => {
              const visible = !legend.chart.isDatasetVisible(item.datasetIndex);
              legend.chart.setDatasetVisibility(item.datasetIndex, visible);
              legend.chart.setDatasetVisibility(item.datasetIndex + 1, visible);
              legend.chart.update();
            },
          },
          tooltip: { callbacks: { label: (item) =>
            item.dataset.label + ": " + item.parsed.y.toFixed(2) + " %" +
              range(item.dataset.intervals[item.dataIndex]) } },
        },
      }),
    });
  };

  const effort = () => {
    const order = ["none", "minimal", "low", "medium", "high"];
    const rank = (name) => (order.indexOf(name) + 1 || order.length + 1);
    const efforts = [...new Set(data.models.map((entry) => entry.effort).filter(Boolean))]
      .sort((a, b) => rank(a) - rank(b));
    const bases = [...new Set(data.models.filter((entry) => entry.effort).map((entry) => entry.base))];
    const entryOf = (name, level) =>
      data.models.find((one) => one.base === name && one.effort === level);
    draw("effort", {
      type: "bar",
      plugins: [whiskers],
      data: {
        labels: efforts,
        datasets: bases.map((name, index) => ({
          label: name, backgroundColor: model(index), maxBarThickness: 56,
          data: efforts.map((level) => percent(entryOf(name, level)?.pass ?? null)),
          intervals: efforts.map((level) => entryOf(name, level)?.at_intervals[0]),
        })),
      },
      options: base({ scales: { y: rateAxis("pass@1") } }),
    });
  };

  const failures = () => draw("failures", {
    type: "bar",
    data: {
      labels: data.models.map((entry) => entry.name),
      datasets: data.classes.map((name, index) => ({
        label: name, backgroundColor: colour(classColours[name] || "m7"), maxBarThickness: 44,
        data: data.models.map((entry) => entry.failures[index]),
      })),
    },
    options: base({
      indexAxis: "y",
      scales: {
        x: { stacked: true, title: { display: true, text: "failed attempts" }, ticks: { precision: 0 } },
        y: { stacked: true, ticks: { callback(value) { return short(this.getLabelForValue(value)); } } },
      },
    }),
  });

  const short = (name) => (name.length > 18 ? name.slice(0, 8) + "…" + name.slice(-9) : name);

  const tools = () => draw("tools", {
    type: "bar",
    data: {
      labels: data.tools,
      datasets: data.models.map((entry, index) => ({
        label: entry.name, data: entry.tools, backgroundColor: model(index), maxBarThickness: 18,
      })),
    },
    options: base({
      indexAxis: "y",
      scales: {
        x: { title: { display: true, text: "calls an attempt" } },
        y: { ticks: { autoSkip: false, callback(value) { return short(this.getLabelForValue(value)); } } },
      },
      plugins: { tooltip: { callbacks: { label: (item) =>
        item.dataset.label + ": " + item.parsed.x.toFixed(2) } } },
    }),
  });

  const turns = (entry, index) => draw("turns-" + index, {
    type: "bar",
    data: {
      labels: entry.turns.map((bar) => (bar.from === bar.to ? bar.from : bar.from + "–" + bar.to)),
      datasets: [
        { label: "passed", data: entry.turns.map((bar) => bar.passed), backgroundColor: colour("m2") },
        { label: "failed", data: entry.turns.map((bar) => bar.failed), backgroundColor: colour("m6") },
      ],
    },
    options: base({
      scales: {
        x: {
          stacked: true, title: { display: true, text: "turns" }, grid: { display: false },
          ticks: { maxRotation: 0, autoSkipPadding: 12 },
        },
        y: { stacked: true, title: { display: true, text: "attempts" }, ticks: { precision: 0 } },
      },
    }),
  });

  const drawAll = () => {
    charts.splice(0).forEach((chart) => chart.destroy());
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.color = colour("dim");
    Chart.defaults.borderColor = colour("line");
    cost();
    if (data.models.some((entry) => entry.at.length > 1)) reliability();
    effort();
    failures();
    tools();
    data.models.forEach(turns);
  };

  // A link may lead into something that is closed.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const form = document.getElementById("filters");
    if (target.hidden && form) form.reset();
    for (let node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") node.open = true;
    }
    const only = target.querySelectorAll(":scope > details.attempt");
    if (only.length === 1) only[0].open = true;
    const heading = target.querySelector("summary, h4") || target;
    heading.setAttribute("tabindex", heading.tagName === "SUMMARY" ? "0" : "-1");
    heading.focus({ preventScroll: true });
    target.scrollIntoView();
  };

  // Hides the attempts, cells and tasks that the controls exclude.
  const filter = () => {
    const form = document.getElementById("filters");
    if (!form) return;
    form.hidden = false;
    const attempts = [...document.querySelectorAll("#attempts .attempt")].map((node) => ({
      node,
      cell: node.closest(".cell"),
      text: undefined,
    }));
    const output = form.querySelector("output");
    const apply = () => {
      const wanted = Object.fromEntries(new FormData(form));
      const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const attempt of attempts) {
        const { node, cell } = attempt;
        let is = (!wanted.result || node.dataset.result === wanted.result) &&
          (!wanted.class || node.dataset.class === wanted.class) &&
          (!wanted.model || cell.dataset.model === wanted.model);
        if (is && words.length) {
          const task = cell.parentElement.querySelector("summary").textContent;
          attempt.text ??= (task + " " + node.textContent).toLowerCase();
          is = words.every((word) => attempt.text.includes(word));
        }
        node.hidden = !is;
        shown += is ? 1 : 0;
      }
      for (const cell of document.querySelectorAll("#attempts .cell")) {
        cell.hidden = !cell.querySelector(".attempt:not([hidden])");
      }
      const some = Object.values(wanted).some(Boolean);
      for (const task of document.querySelectorAll("#attempts details.task")) {
        task.hidden = !task.querySelector(".attempt:not([hidden])");
        if (some) task.open = !task.hidden;
      }
      output.textContent = `${shown} of ${attempts.length} attempts`;
    };
    let waiting;
    form.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(apply, 150);
    });
    form.addEventListener("reset", () => setTimeout(apply));
    form.addEventListener("submit", (event) => event.preventDefault());
    apply();
  };

  // What scrolls can be reached by keyboard.
  document.addEventListener("toggle", (event) => {
    for (const node of event.target.querySelectorAll("pre")) {
      if (node.scrollHeight > node.clientHeight) node.tabIndex = 0;
    }
  }, true);

  drawAll();
  filter();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("hashchange", reveal);
  reveal();
})();
