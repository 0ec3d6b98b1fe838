# Sourced by ./sluice and ./verify: finds what they need and installs what is missing, where it may.
#
#   need_java_and_maven    JDK 17 or newer and Maven 3.8 or newer
#   need_chromium          for the tests of the page; sets SLUICE_CHROMIUM
#   need_nginx             for the tests of the nginx example; sets SLUICE_NGINX
#   need_load_tools        for the benchmarks of the server: wrk, h2load, nginx and HAProxy

say() {
  echo "sluice: $*" >&2
}

# May packages be installed without asking anybody?
can_install() {
  command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# install WHAT PACKAGE...: installs Debian or Ubuntu packages, or says what is missing and gives up.
install() {
  local what=$1
  shift
  if ! can_install; then
    say "$what is missing. Install it and run this again. On Debian or Ubuntu: sudo apt-get install $*"
    exit 1
  fi
  say "installing $what ($*) ..."
  local log
  log=$(mktemp)
  if ! {
    as_root apt-get update -qq &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
  } >"$log" 2>&1 </dev/null; then
    tail -5 "$log" >&2
    rm -f "$log"
    say "$what could not be installed. Install it by hand and run this again: apt-get install $*"
    exit 1
  fi
  rm -f "$log"
}

# The major version of the JDK in the folder $1, or 0.
jdk_version() {
  local version=0
  if [ -x "$1/bin/javac" ]; then
    version=$("$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  fi
  echo "${version:-0}"
}

# The folder of the javac on the PATH, or nothing.
jdk_on_path() {
  local javac
  javac=$(command -v javac) || return 0
  dirname "$(dirname "$(readlink -f "$javac")")"
}

# Sets JAVA_HOME to a JDK of 17 or newer: the one it names, the one on the PATH, or one under /usr/lib/jvm.
find_jdk() {
  local folder
  for folder in "${JAVA_HOME:-}" "$(jdk_on_path)" /usr/lib/jvm/*; do
    if [ -n "$folder" ] && [ "$(jdk_version "$folder")" -ge 17 ]; then
      export JAVA_HOME=$folder
      return 0
    fi
  done
  return 1
}

need_java_and_maven() {
  if ! find_jdk; then
    install "a JDK of version 17 or newer" openjdk-17-jdk-headless
    find_jdk || { say "the JDK was installed but is not found; set JAVA_HOME to its folder"; exit 1; }
  fi
  command -v mvn >/dev/null || install "Maven" maven
}

find_chromium() {
  local name
  for name in "${SLUICE_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then
      SLUICE_CHROMIUM=$(command -v "$name")
      export SLUICE_CHROMIUM
      return 0
    fi
  done
  return 1
}

need_chromium() {
  find_chromium && return 0
  install "Chromium, for the tests of the page" chromium
  find_chromium || { say "Chromium was installed but is not found; set SLUICE_CHROMIUM to its path"; exit 1; }
}

find_nginx() {
  local name
  for name in "${SLUICE_NGINX:-}" nginx /usr/sbin/nginx /usr/local/sbin/nginx; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then
      SLUICE_NGINX=$(command -v "$name")
      export SLUICE_NGINX
      return 0
    fi
  done
  return 1
}

need_nginx() {
  command -v curl >/dev/null || install "curl, for the tests of the nginx example" curl
  command -v openssl >/dev/null || install "openssl, for the tests of TLS" openssl
  find_nginx && return 0
  install "nginx, for the tests of the nginx example" nginx
  find_nginx || { say "nginx was installed but is not found; set SLUICE_NGINX to its path"; exit 1; }
}

need_load_tools() {
  local missing=() path=$PATH:/usr/sbin:/usr/local/sbin
  PATH=$path command -v wrk >/dev/null || missing+=(wrk)
  PATH=$path command -v h2load >/dev/null || missing+=(nghttp2-client)
  PATH=$path command -v nginx >/dev/null || missing+=(nginx)
  PATH=$path command -v haproxy >/dev/null || missing+=(haproxy)
  [ ${#missing[@]} = 0 ] || install "what the benchmarks of the server need" "${missing[@]}"
}

# maven_to LOG ARGUMENT...: Maven in the top folder, with its output in LOG and a line here for each module.
maven_to() {
  local log=$1
  shift
  (cd "$root" && mvn -B "$@" 2>&1 </dev/null) | tee "$log" |
    sed -un 's/^\[INFO\] Building \(.*[^ ]\)  *[0-9][^ ]*  *\[\([0-9]*\/[0-9]*\)\]$/sluice:   \2 \1/p' >&2
}
