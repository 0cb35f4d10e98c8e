# SPDX-License-Identifier: Apache-2.0
"""The page in Chromium, with robots that send behind it."""
import pytest

from conftest import keep, let_pass

DESKTOP = (1280, 1000)
PHONE = (390, 844)


@pytest.fixture
def page(running, browser):
    browser.resize(*DESKTOP)
    browser.prefer("light")
    browser.errors.clear()
    browser.open("about:blank")  # what the page kept of the test before is gone
    browser.open(running.page)
    browser.wait("document.querySelectorAll('#matrix td button').length === 12")
    browser.wait("document.querySelector('#headline').className !== 'waiting'")
    browser.wait("document.querySelectorAll('#map .obstacle').length === 2")
    yield browser
    assert browser.errors == []


def cell(key):
    return f"#matrix button[data-link=\"{key}\"]"


def line(key):
    return f"#map g[data-link=\"{key}\"]"


def test_the_map_and_the_matrix_show_every_robot_and_link(page):
    names = page.evaluate("[...document.querySelectorAll('#map .robot text')].map((each) => each.textContent).join()")
    assert names == "base,red,green,blue"
    page.wait("document.querySelectorAll('#map .obstacle').length === 2")
    page.wait(f"document.querySelector('{cell('green → base')} b').textContent === '0 %'")
    page.wait(f"document.querySelector('{line('green → base')}').matches('.q0.busy')")
    assert page.evaluate("document.querySelectorAll('#ports tbody tr').length") == 4
    assert "wifi_11n_2g4_adhoc" in page.text("#robots")
    for each in "rate", "snr", "goodput", "delay", "loss":
        page.click(f"#matrix button[data-measure={each}]")
        page.wait(f"document.querySelector('{cell('green → base')} b').textContent !== '–'")


# Two conditions in a headline of the test's, as after 3 s and after 75 s.
CONDITIONS = """
(async () => {
  const { showHeadline } = await import("/headline.js");
  const conditions = [3, 75].map((since_s, n) => ({ name: `c${n}`, about: "", text: `condition ${n}`, since_s }));
  const status = { run: "yard", conditions, links: [], robots: [], uptime_s: 80, window: { sim_time_s: 80 } };
  showHeadline({ status, at: 0, seconds: 1, out: 0, lost: 0, robots: [], links: new Map() }, { isLive: true });
  return [...document.querySelectorAll("#conditions small")].map((each) => each.textContent).join();
})()
"""


def test_robots_that_stand_close_together_have_their_names(page):
    places = page.evaluate("""import('/labels.js').then(({ Labels }) => {
        const labels = new Labels(600, 400);
        const robots = [[300, 200], [310, 204], [314, 208], [306, 212], [300, 210]];
        robots.forEach((at) => labels.block(at, 8));
        return robots.map((at, number) => labels.place(`robot-${number}`, at, 10));
    })""")
    assert all(places), places


def test_conditions_show_how_long_they_stand(page):
    assert page.evaluate(CONDITIONS) == " for seconds, for 01:10"


# A state as of a thousand robots of which each hears four, in views of its own beside those of the run.
THOUSAND = """
(async () => {
  const [{ MatrixView }, { MapView }, { RobotsView }] = await Promise.all(
    ["/matrix_view.js", "/map_view.js", "/robots_view.js"].map((name) => import(name)));
  const robots = [...Array(1000).keys()].map((n) => ({ name: `r${n}`, port: "p", position: [n % 40, n / 40, 0] }));
  const links = new Map();
  for (let n = 0; n < 4000; ++n) {
    const [from, to] = [`r${n % 1000}`, `r${(n % 1000 + 1 + Math.floor(n / 1000)) % 1000}`];
    const key = `${from} → ${to}`;
    links.set(key, { key, from, to, reachable: true, decodable: true, line_of_sight: true, busy: n === 7 || n === 8,
      loss: n === 7 ? 0.5 : 0, rssi_dbm: n === 3999 ? -20 : -60 - n / 1000, snr_db: 20, rate_mbps: 6, goodput: 0,
      delay_us: 1 });
  }
  const state = { at: 0, robots, links, status: { robots, links_left_out: 95000 } };
  const timeline = { before: () => [], isRecord: false };
  const panels = [0, 1, 2].map(() => document.body.appendChild(document.createElement("section")));
  panels[1].style.width = "600px";
  const views = [new MatrixView(panels[0], () => {}), new MapView(panels[1], () => {}), new RobotsView(panels[2])];
  const begin = performance.now();
  views[0].show(state, timeline, "r100 → r101");
  views[1].show(state, null, timeline, "r100 → r101");
  views[2].show(state, null, "r500 → r501");
  const found = {
    listed: [...panels[0].querySelectorAll("button[data-link]")].map((each) => each.dataset.link),
    elements: panels.map((panel) => panel.querySelectorAll("*").length),
    drawn: panels[1].querySelectorAll("g.robot").length,
    named: [...panels[1].querySelectorAll(".robot text")].map((each) => each.textContent),
    rows: [...panels[2].querySelectorAll("tbody tr")].map((each) => each.firstChild.textContent),
    said: panels.map((panel) => panel.innerText),
    took: performance.now() - begin,
  };
  panels.forEach((panel) => panel.remove());
  return found;
})()
"""


def test_a_thousand_robots_have_room(page):
    found = page.evaluate(THOUSAND)
    # the chosen one, those with traffic, the worst of them first, and the strongest
    assert found["listed"][:4] == ["r100 → r101", "r7 → r8", "r8 → r9", "r999 → r3"]
    assert len(found["listed"]) == 200
    assert found["drawn"] == 1000 and found["named"] == ["r100", "r101"]
    assert found["rows"][:3] == ["r500", "r501", "r0"] and len(found["rows"]) == 200
    assert max(found["elements"]) < 10_000
    assert "200 of 99000 links" in found["said"][0] and "400 of 99000 links" in found["said"][1]
    assert "200 of 1000 robots" in found["said"][2]
    print(f"drawn after {found['took']:.0f} ms")


def set_in_page(page, assignment):
    page.press("s")
    page.type(assignment)
    page.click("#controls form button")


def test_a_wall_reddens_its_link_at_once(page):
    page.click(cell("green → base"))
    assert not set(page.classes(line("green → base"))) & {"q3", "q4"}
    set_in_page(page, "physics.obstacles=[{name: wall, box: {min: [30m, -10m, 0m], max: [31m, 60m, 20m]}, "
                      "material: metal}]")
    took = page.wait(f"document.querySelector('{line('green → base')}').matches('.q4')")
    print(f"red after {took:.2f} s")
    page.wait("document.querySelectorAll('#map .obstacle').length === 1")
    page.wait("/wall \\(metal\\) stands between them/.test(document.querySelector('#link').innerText)")
    page.wait("document.querySelector('#headline').className === 'bad'")
    keep(page, "wall")
    page.press("u")
    page.wait("document.querySelectorAll('#map .obstacle').length === 2")
    page.wait(f"document.querySelector('{line('green → base')}').matches('.q0')")


def test_a_change_and_its_undo(page, running):
    page.click(cell("green → base"))
    set_in_page(page, "links.green.base.loss=100 %")
    page.wait(f"document.querySelector('{cell('green → base')}').matches('.q4')")
    page.wait("document.querySelector('#link .reasons').innerText.includes('links.green.base.loss=100 %')")
    page.wait("document.querySelector('#link .bars').innerText.includes('configured loss')")
    page.press("u")
    page.wait(f"document.querySelector('{cell('green → base')}').matches('.q0')")
    assert running.gateway.get("links.green.base.loss") is None
    page.wait("document.querySelector('#undo').disabled")


def test_a_change_that_is_wrong_says_why(page):
    set_in_page(page, "links.red.base.delay=5")
    page.wait("document.querySelector('#controls .answer').innerText.includes('needs one of ns, us, ms')")
    assert page.evaluate("document.querySelector('#undo').disabled")


def test_looking_back_shows_the_run_as_it_was(page, running):
    with running.gateway.set({"links.green.base.loss": "100 %"}):
        page.wait(f"document.querySelector('{cell('green → base')} b').textContent === '100 %'")
        page.wait("document.querySelector('#events').innerText.includes('set: links.green.base.loss=100 %')")
        let_pass(running.gateway, 3)
    page.wait(f"document.querySelector('{cell('green → base')} b').textContent !== '100 %'")
    page.evaluate("[...document.querySelectorAll('#events li')].find((each) => each.innerText.includes("
                  "'set: links.green.base.loss=100')).querySelector('button').click()")
    page.wait("document.body.classList.contains('past')")
    page.press_until("ArrowLeft", f"document.querySelector('{cell('green → base')} b').textContent !== '100 %'")
    page.press_until("ArrowRight", f"document.querySelector('{cell('green → base')} b').textContent === '100 %'")
    keep(page, "past")
    page.press("Escape")
    page.wait("!document.body.classList.contains('past')")


def test_who_opens_the_page_later_sees_what_was_before(page):
    """It has been opened just now, and the run is older."""
    known = "Number(document.querySelector('#strip svg rect.known').getAttribute('width')) * 0.6"
    assert page.evaluate(known) > page.evaluate("performance.now() / 1000")


def test_past_events_have_the_time_of_day_at_which_they_happened(page):
    """Reports of an hour ago and of now, which arrive together."""
    times = page.evaluate("""(async () => {
        const { Timeline } = await import("/timeline.js");
        const timeline = new Timeline();
        const answer = { ok: false, error: "" };
        const now = Date.now();
        return [3600000, 0].map((ago) => {
            timeline.add({ at: 9e6 - ago, time: now - ago, answer, bytes: 1000 });
            return now - timeline.wallTime(9e6 - ago).getTime();
        });
    })()""")
    assert times == [3600000, 0]


def test_a_suspension_of_the_host_moves_no_past_instant(page):
    """The clock of the reports stands while the time of day goes on for an hour."""
    ago = page.evaluate("""(async () => {
        const { Timeline } = await import("/timeline.js");
        const timeline = new Timeline();
        const answer = { ok: false, error: "" };
        const now = Date.now();
        timeline.add({ at: 1000, time: now - 3602000, answer, bytes: 1000 });
        timeline.add({ at: 3000, time: now, answer, bytes: 1000 });
        return [1000, 1500, 3000].map((at) => now - timeline.wallTime(at).getTime());
    })()""")
    assert ago == [3602000, 3601500, 0]


def test_a_search_in_the_events(page, running):
    with running.gateway.set({"links.green.base.delay": "1ms"}):
        page.wait("document.querySelector('#events').innerText.includes('links.green.base.delay=1ms')")
    page.press("/")
    page.type("green.base.delay")
    page.wait("[...document.querySelectorAll('#events li')].every((each) => each.innerText.includes('delay'))")


def test_what_if(page):
    page.wait("document.querySelector('#radio .sentence').innerText.includes('of tries would be lost')")
    page.wait("document.querySelector('#radio .plain').innerText.includes('3GPP TR 38.901')")
    page.evaluate("(() => { const it = document.querySelector('#radio select[name=wall]'); it.value = 'metal:20cm';"
                  "it.dispatchEvent(new Event('input')); })()")
    page.wait("document.querySelector('#radio .sentence').innerText === 'Out of range.'")


def test_a_page_that_stays_open_does_not_grow(page):
    """Three hours of reports, as far as what is kept of them goes."""
    kept = page.evaluate("""(async () => {
        const { Timeline } = await import("/timeline.js");
        const timeline = new Timeline();
        const answer = { ok: false, error: "" };
        for (let i = 0; i < 4 * 3 * 3600; ++i) {
            timeline.add({ at: i * 250, answer, bytes: 1000 });
        }
        const large = new Timeline();
        for (let i = 0; i < 100; ++i) {
            large.add({ at: i * 1000, answer, bytes: 1 << 20 });
        }
        return [timeline.frames.length, large.frames.length];
    })()""")
    assert kept == [601, 64]


def test_a_phone_shows_all_of_it_without_scrolling_sideways(page):
    page.resize(*PHONE, mobile=True)
    page.wait("document.documentElement.scrollWidth <= window.innerWidth")
    page.wait("document.querySelector('#map svg').getBoundingClientRect().width < 390")
    keep(page, "phone")


def test_light_and_dark(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    keep(page, "page")
    page.prefer("dark")
    page.wait(f"{colour} !== '{light}'")
    keep(page, "dark")
    page.press("t")
    page.wait(f"{colour} === '{light}'")
    page.evaluate("localStorage.clear()")
