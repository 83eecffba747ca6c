#!/usr/bin/env python3
"""Rebuild the files of a labelled list from bare clones of public repositories.

    rebuild.py LIST --mirrors DIR --out DIR [--split NAME] [--clone]

LIST is a tab-separated table with a header; the columns split, label,
generator_or_source, repo, commit, path and sha256 are read, further columns
are left alone. DIR of --mirrors holds one folder per repository, named
OWNER+NAME, with a bare clone in it at any depth. With --clone a missing
repository is cloned from GitHub without its file contents; git then fetches
the wanted contents as they are read.

Each file whose content has the SHA-256 of its row is written as
OUT/SHA256.EXT, once. OUT/list.tsv then names every file that is there:
path (relative to OUT), label, generator_or_source, repo, split. Rows whose
file cannot be had are named on standard error with the reason, and the exit
status is 1.
"""

import argparse
import collections
import csv
import hashlib
import os
import subprocess
import sys

COLUMNS = ("split", "label", "generator_or_source", "repo", "commit", "path", "sha256")


def read_rows(path, split):
    """Return the rows of the list at path, only those of split where it is given."""
    with open(path, encoding="utf-8", newline="") as f:
        table = csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
        lacking = [c for c in COLUMNS if c not in (table.fieldnames or ())]
        if lacking:
            sys.exit(f"{path}: the header lacks {', '.join(lacking)}")
        return [r for r in table if not split or r["split"] == split]


def find_git_dir(mirrors, repo):
    """Return the git directory of repo's clone under mirrors, or None."""
    for folder, names, files in os.walk(os.path.join(mirrors, repo.replace("/", "+"))):
        if "HEAD" in files and "objects" in names:
            return folder
    return None


def clone(mirrors, repo):
    """Clone repo from GitHub into mirrors and return its git directory, or None."""
    target = os.path.join(mirrors, repo.replace("/", "+"))
    os.makedirs(mirrors, exist_ok=True)
    done = subprocess.run(
        ["git", "clone", "--quiet", "--bare", "--filter=blob:none", f"https://github.com/{repo}", target],
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        check=False,
    )
    return target if done.returncode == 0 else None


class Blobs:
    """Reads file contents out of one git directory through a single git process."""

    def __init__(self, git_dir):
        self.process = subprocess.Popen(
            ["git", "--git-dir", git_dir, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def read(self, commit, path):
        """Return the content of path at commit, or None where the clone lacks it."""
        self.process.stdin.write(f"{commit}:{path}\n".encode())
        self.process.stdin.flush()
        head = self.process.stdout.readline().split()
        if len(head) != 3 or not head[2].isdigit():
            return None
        content = self.process.stdout.read(int(head[2]))
        self.process.stdout.read(1)  # the line feed that ends each answer
        return content if head[1] == b"blob" else None

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def file_name(row):
    """Return the name of row's file in the output folder."""
    return row["sha256"] + os.path.splitext(row["path"])[1].lower()


def write_whole(path, content):
    """Write content to path so that a reader never sees a part of it."""
    part = f"{path}.{os.getpid()}.part"
    with open(part, "wb") as f:
        f.write(content)
    os.replace(part, path)


def extract(row, blobs, out):
    """Write row's file into out. Return None, or why it could not be had."""
    content = blobs.read(row["commit"], row["path"])
    if content is None:
        return "not in the clone"
    if hashlib.sha256(content).hexdigest() != row["sha256"]:
        return "content differs from the row's SHA-256"
    write_whole(os.path.join(out, file_name(row)), content)
    return None


def extract_repo(repo, rows, options):
    """Extract the rows of one repository. Return (rows had, [(row, reason)])."""
    had = [r for r in rows if os.path.exists(os.path.join(options.out, file_name(r)))]
    wanted = [r for r in rows if r not in had]
    if not wanted:
        return had, []
    git_dir = find_git_dir(options.mirrors, repo)
    if git_dir is None and options.clone:
        git_dir = clone(options.mirrors, repo)
    if git_dir is None:
        return had, [(r, "no clone of the repository; --clone fetches it") for r in wanted]
    blobs = Blobs(git_dir)
    left = []
    for row in wanted:
        reason = extract(row, blobs, options.out)
        if reason is None:
            had.append(row)
        else:
            left.append((row, reason))
    blobs.close()
    return had, left


def write_list(out, rows):
    """Write OUT/list.tsv for the rows whose files are there."""
    lines = ["path\tlabel\tgenerator_or_source\trepo\tsplit"]
    for r in sorted(rows, key=lambda r: (r["split"], r["label"], r["repo"], r["path"])):
        lines.append("\t".join((file_name(r), r["label"], r["generator_or_source"], r["repo"], r["split"])))
    write_whole(os.path.join(out, "list.tsv"), ("\n".join(lines) + "\n").encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", help="the table of files")
    parser.add_argument("--mirrors", required=True, help="folder of bare clones, one OWNER+NAME each")
    parser.add_argument("--out", required=True, help="folder for the files and list.tsv")
    parser.add_argument("--split", help="only the rows of this split")
    parser.add_argument("--clone", action="store_true", help="clone missing repositories from GitHub")
    options = parser.parse_args()

    rows = read_rows(options.list, options.split)
    os.makedirs(options.out, exist_ok=True)
    by_repo = collections.defaultdict(list)
    for row in rows:
        by_repo[row["repo"]].append(row)

    had, left = [], []
    for repo in sorted(by_repo):
        got, missing = extract_repo(repo, by_repo[repo], options)
        had += got
        left += missing
        print(f"{repo}: {len(got)} of {len(by_repo[repo])}")
    write_list(options.out, had)
    for row, reason in left:
        print(f"left out {row['repo']} {row['path']}: {reason}", file=sys.stderr)
    print(f"{len(had)} of {len(rows)} files")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
