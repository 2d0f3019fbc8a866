enum HTMLStyle {
    /// In both schemes text has a contrast of at least 4.5 to 1, lines and marks 3 to 1; marks differ in form, not only in colour.
    static let sheet = """
        :root { color-scheme: light dark; --paper: #fcfcfa; --panel: #ffffff; --ink: #1c2630; --soft: #55626f; --rule: #dfe3e6;
          --good: #2a6f97; --bad: #a8431c; --quiet: #8a97a3; --key: #1c2630; }
        @media (prefers-color-scheme: dark) { :root { --paper: #12171c; --panel: #181f26; --ink: #e8ecef; --soft: #a7b3be; --rule: #2e3943;
          --good: #79b8dc; --bad: #f0a077; --quiet: #75828e; --key: #e8ecef; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
          font-variant-numeric: tabular-nums; }
        main, header, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem; }
        header { padding-top: 2.5rem; } footer { padding-bottom: 3rem; color: var(--soft); font-size: .87rem; }
        h1 { font-size: 1.75rem; font-weight: 600; letter-spacing: -.01em; margin: 0 0 .25rem; }
        h2 { font-size: 1.15rem; font-weight: 600; margin: 0 0 .2rem; }
        p { margin: 0 0 1rem; max-width: 46rem; } .lead, .note { color: var(--soft); } .lead { max-width: none; }
        .cards { display: flex; flex-wrap: wrap; gap: 1px; margin: 1.75rem 0 2.25rem; padding: 0;
          background: var(--rule); border: 1px solid var(--rule); border-radius: .5rem; overflow: hidden; }
        .cards div { flex: 1 1 14rem; background: var(--panel); padding: 1rem 1.15rem; } .cards dt { color: var(--soft); font-size: .87rem; }
        .cards dd { margin: 0; } .cards .big { font-size: 1.7rem; font-weight: 600; letter-spacing: -.01em; line-height: 1.3; }
        .cards .small { color: var(--soft); font-size: .82rem; }
        section { margin: 0 0 2.75rem; padding-top: 1.5rem; border-top: 1px solid var(--rule); }
        .pair { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 2rem; align-items: start; }
        @media (max-width: 76rem) { .pair { grid-template-columns: minmax(0, 1fr); } }
        .pair + .scroll, .pair + .pair { margin-top: 1.75rem; }
        svg { width: 100%; height: auto; display: block; max-width: 46rem; }
        .scroll { overflow-x: auto; max-height: 25rem; overflow-y: auto; } .scroll:focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }
        table { border-collapse: collapse; width: 100%; font-size: .87rem; } caption { text-align: left; color: var(--soft); padding-bottom: .35rem; }
        th, td { text-align: left; padding: .28rem .75rem .28rem 0; border-bottom: 1px solid var(--rule); font-weight: 400; vertical-align: top; overflow-wrap: break-word; }
        thead th { color: var(--soft); font-weight: 600; white-space: nowrap; overflow-wrap: normal; } .n { text-align: right; } .n, .day { white-space: nowrap; }
        .label { font-size: 12px; fill: var(--soft); } .name, .figure { font-size: 12px; fill: var(--ink); } .figure { font-weight: 600; }
        .grid { stroke: var(--rule); } .base { stroke: var(--quiet); } .good { fill: var(--good); } .bad { fill: var(--bad); } .quiet { fill: var(--quiet); }
        .dot { fill: var(--key); } .ring { fill: var(--panel); stroke: var(--key); stroke-width: 1.5; } .end, .whisker { stroke: var(--key); stroke-width: 1.5; }
        .trend { fill: none; stroke: var(--quiet); stroke-width: 1.5; } .strong { stroke: var(--key); }
        @media print { @page { size: A4; margin: 16mm 14mm; }
          :root { color-scheme: light; --paper: #fff; --panel: #fff; --ink: #000; --soft: #333; --rule: #bbb; --good: #555; --bad: #222; --quiet: #888; --key: #000; }
          body { font-size: 10pt; } header { padding-top: 0; } main, header, footer { padding: 0; max-width: none; }
          .cards div { flex-basis: 8rem; padding: .5rem .6rem; } .cards .big { font-size: 1.3rem; }
          table { font-size: 8.5pt; } th, td { padding: .12rem .6rem .12rem 0; }
          .pair { grid-template-columns: minmax(0, 1fr); gap: .75rem; } .scroll { max-height: none; overflow: visible; }
          section { margin-bottom: 1.5rem; } svg, tr, .cards { break-inside: avoid; } h2, caption { break-after: avoid; } thead { display: table-header-group; }
          svg { max-width: 16cm; } }
        """
}
